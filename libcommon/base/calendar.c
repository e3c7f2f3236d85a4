#include "base/calendar.h"

#include "base/number.h"
#include "base/scan.h"

#include <stdio.h>
#include <time.h>

static const int64_t second_ns = 1000000000, day_s = 86400;

/* The calendar is computed here, because timegm and gmtime_r count leap seconds if the zone of TZ
 * does ("right/UTC"). Years begin in March, so that February 29 is the last day of its year. */
enum { CYCLE_DAYS = 146097 /* of 400 years */, EPOCH = 719468 /* 1970-01-01, from 0000-03-01 */ };

/* Days from March 1 to the first day of a month, which counts from March. */
static int64_t month_start(int64_t month)
{
    return (153 * month + 2) / 5;
}

/* Days from 1970-01-01 to the day of a date from year 1 on. */
static int64_t days_of(const struct tm *date)
{
    int64_t year = date->tm_year + 1900 - (date->tm_mon < 2);

    return year * 365 + year / 4 - year / 100 + year / 400 + month_start((date->tm_mon + 10) % 12) +
           date->tm_mday - 1 - EPOCH;
}

/* The date of a number of seconds since 1970, from year 1 on. */
static struct tm date_of(int64_t seconds)
{
    int64_t days = (seconds + EPOCH * day_s) / day_s, day = days % CYCLE_DAYS;
    int64_t year = (day - day / 1460 + day / 36524 - day / (CYCLE_DAYS - 1)) / 365;
    int64_t in_year = day - (year * 365 + year / 4 - year / 100);
    int64_t month = (5 * in_year + 2) / 153;
    int64_t in_day = seconds - (days - EPOCH) * day_s;

    return (struct tm){
        .tm_year = (int)(days / CYCLE_DAYS * 400 + year + (month >= 10) - 1900),
        .tm_mon = (int)((month + 2) % 12),
        .tm_mday = (int)(in_year - month_start(month) + 1),
        .tm_hour = (int)(in_day / 3600),
        .tm_min = (int)(in_day / 60 % 60),
        .tm_sec = (int)(in_day % 60),
    };
}

/* Seconds since 1970 of a date. False: the month has no such day, or another field is out of range
 * (years: 1 to 9999). Second 60 is the first second of the next minute. */
static bool date_seconds(const struct tm *date, int64_t *seconds)
{
    int64_t midnight;

    if (date->tm_year <= -1900 || date->tm_mon < 0 || date->tm_mon > 11 || date->tm_mday < 1 ||
        date->tm_mday > 31 || date->tm_hour > 23 || date->tm_min > 59 || date->tm_sec > 60)
        return false;
    midnight = days_of(date) * day_s;
    *seconds = midnight + date->tm_hour * 3600 + date->tm_min * 60 + date->tm_sec;
    return date_of(midnight).tm_mday == date->tm_mday; /* February 30 is March 2 or 1 */
}

bool pf_time_of_seconds(int64_t seconds, int64_t *time)
{
    return pf_mul64(seconds, second_ns, time);
}

/* Reads `size` digits. */
static bool scan_digits(struct pf_bytes *text, size_t size, int *number)
{
    uint64_t value;

    if (pf_scan_digits(*text) < size ||
        !pf_parse_digits((struct pf_bytes){text->data, size}, 9999, &value))
        return false;
    *number = (int)value;
    *text = pf_bytes_skip(*text, size);
    return true;
}

/* Reads a fraction of a second, if there is one. */
static bool scan_fraction(struct pf_bytes *text, int64_t *nanoseconds)
{
    int64_t unit = second_ns;
    size_t size;

    *nanoseconds = 0;
    if (!pf_scan_past(text, PF_BYTES(".")))
        return true;
    size = pf_scan_digits(*text);
    if (size == 0 || size > 9)
        return false;
    for (size_t k = 0; k < size; k++) {
        unit /= 10;
        *nanoseconds += (text->data[k] - '0') * unit;
    }
    *text = pf_bytes_skip(*text, size);
    return true;
}

bool pf_time_parse_seconds(struct pf_bytes text, int64_t *time)
{
    bool negative = pf_scan_past(&text, PF_BYTES("-"));
    int64_t seconds, fraction;
    uint64_t number;

    if (pf_scan_digits(text) == 0 || !pf_scan_number(&text, INT64_MAX, &number) ||
        !scan_fraction(&text, &fraction) || text.size > 0)
        return false;
    seconds = negative ? -(int64_t)number : (int64_t)number;
    return pf_time_of_seconds(seconds, time) &&
           pf_add64(*time, negative ? -fraction : fraction, time);
}

/* Reads the time of the day, if there is one. */
static bool scan_clock(struct pf_bytes *text, struct tm *date, int64_t *fraction)
{
    *fraction = 0;
    if (!pf_scan_past(text, PF_BYTES("T")) && !pf_scan_past(text, PF_BYTES(" ")))
        return true;
    if (!scan_digits(text, 2, &date->tm_hour) || !pf_scan_past(text, PF_BYTES(":")) ||
        !scan_digits(text, 2, &date->tm_min))
        return false;
    return !pf_scan_past(text, PF_BYTES(":")) ||
           (scan_digits(text, 2, &date->tm_sec) && scan_fraction(text, fraction));
}

/* Reads `Z`, `+01:00`, `+0100` or `+01`, or nothing: seconds east of Greenwich. */
static bool scan_zone(struct pf_bytes *text, int64_t *east)
{
    bool west = pf_bytes_starts(*text, PF_BYTES("-"));
    int hour, minute = 0;

    *east = 0;
    if (pf_scan_past(text, PF_BYTES("Z")) || text->size == 0)
        return true;
    if ((!west && !pf_bytes_starts(*text, PF_BYTES("+"))))
        return false;
    *text = pf_bytes_skip(*text, 1);
    if (!scan_digits(text, 2, &hour) || hour > 23)
        return false;
    pf_scan_past(text, PF_BYTES(":"));
    if (text->size > 0 && (!scan_digits(text, 2, &minute) || minute > 59))
        return false;
    *east = (hour * 60 + minute) * (west ? -60 : 60);
    return true;
}

bool pf_time_parse(struct pf_bytes text, int64_t *time)
{
    struct tm date = {0};
    int64_t seconds, fraction, east;
    int year, month;

    if (pf_scan_past(&text, PF_BYTES("@")))
        return pf_time_parse_seconds(text, time);
    if (!scan_digits(&text, 4, &year) || !pf_scan_past(&text, PF_BYTES("-")) ||
        !scan_digits(&text, 2, &month) || !pf_scan_past(&text, PF_BYTES("-")) ||
        !scan_digits(&text, 2, &date.tm_mday))
        return false;
    date.tm_year = year - 1900;
    date.tm_mon = month - 1;
    return scan_clock(&text, &date, &fraction) && scan_zone(&text, &east) && text.size == 0 &&
           date_seconds(&date, &seconds) && pf_time_of_seconds(seconds - east, time) &&
           pf_add64(*time, fraction, time);
}

size_t pf_time_print(int64_t time, char text[PF_TIME_TEXT])
{
    int64_t seconds = time / second_ns, fraction = time % second_ns;
    struct tm date;
    size_t size;

    if (fraction < 0) {
        fraction += second_ns;
        seconds--;
    }
    date = date_of(seconds);
    size = strftime(text, PF_TIME_TEXT, "%Y-%m-%dT%H:%M:%S", &date);
    if (fraction > 0) {
        size += (size_t)snprintf(text + size, PF_TIME_TEXT - size, ".%09ld", (long)fraction);
        while (text[size - 1] == '0')
            size--;
    }
    text[size++] = 'Z';
    text[size] = '\0';
    return size;
}
