import { writeIndex } from './promises/index-file.js'
import { missingTests } from './promises/missing-tests.js'

// `npm run promises -- <report.json>…`: fails unless each test of test/guarantees.txt has passed in a report of Vitest.
// `npm run promises -- --write`: writes the titles of this file from the tests.

const args = process.argv.slice(2)
if (args.length === 0) throw new Error('expected --write, or the JSON reports of the tests')
if (args[0] === '--write') writeIndex()
else
  for (const { file, title, status } of missingTests(args)) {
    console.error(`${file}: "${title}": ${status}`)
    process.exitCode = 1
  }
