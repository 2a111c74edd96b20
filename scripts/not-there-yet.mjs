// A script that is named before its subject exists says so and fails: nobody may take it for a passed suite.
const name = process.argv[2] ?? 'this script';
console.error(`${name}: not there yet. See "Status" in README.md for what the package covers so far.`);
process.exit(2);
