# Compares the moderated t test with limma on the same tables: limma.R DIR, where DIR was written by
# 'statistics --dump=DIR TABLES'. Prints power and false discovery rate of both for each kind of table.
# Status 1: a power differs by more than 2 points. Needs Debian's r-bioc-limma.
directory <- commandArgs(trailingOnly = TRUE)[1]
plans <- read.delim(file.path(directory, "plans.tsv"), header = FALSE, quote = "", comment.char = "",
                    col.names = c("cell", "about", "before", "after", "tables", "false", "power"))

# Verdicts of limma for one table: rows are named by the sign of the real change.
judge <- function(path, before) {
    table <- read.delim(path, header = FALSE, row.names = 1, quote = "", comment.char = "")
    table <- as.matrix(table[rowSums(table) > 0, ])
    side <- rep(0:1, c(before, ncol(table) - before))
    # limma warns of rows without variance
    fit <- suppressWarnings(limma::eBayes(limma::lmFit(log2(table + 0.5), cbind(1, side)), trend = TRUE))
    found <- p.adjust(fit$p.value[, 2], "BH") < 0.05
    true <- c("-" = -1, "=" = 0, "+" = 1)[substr(rownames(table), 1, 1)]
    right <- found & sign(fit$coefficients[, 2]) == true
    c(right = sum(right), changed = sum(true != 0), false = sum(found & !right) / max(1, sum(found)))
}

good <- TRUE
for (k in seq_len(nrow(plans))) {
    plan <- plans[k, ]
    paths <- file.path(directory, sprintf("%d-%d.tsv", plan$cell, seq_len(plan$tables) - 1))
    counts <- rowSums(vapply(paths, judge, numeric(3), before = plan$before))
    power <- counts[["right"]] / counts[["changed"]]
    near <- abs(power - plan$power) <= 0.02
    good <- good && near
    cat(sprintf("  %-67s %2d + %2d  %.3f (%4.1f %%)  limma %.3f (%4.1f %%)  %s\n", plan$about, plan$before, plan$after,
                plan$power, 100 * plan$false, power, 100 * counts[["false"]] / plan$tables,
                if (near) "goal met" else "MISSED"))
}
quit(status = if (good) 0 else 1)
