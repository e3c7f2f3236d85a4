/* Runs SELECT statements, one a line of standard input, in the directory of the rows they read, and prints a JSON object for each:
 * the types of its columns and its rows. duckdb.js MODULES */
const { DuckDBInstance } = require(process.argv[2] + "/@duckdb/node-api");

async function main() {
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    for (const line of require("fs").readFileSync(0, "utf8").split("\n").filter((line) => line)) {
        const result = await connection.runAndReadAll(line);
        const types = Object.fromEntries(result.columnNames().map((name, k) => [name, String(result.columnTypes()[k])]));
        console.log(JSON.stringify({ types, rows: result.getRowObjectsJson() }));
    }
}

main();
