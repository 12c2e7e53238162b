import { missingTests } from './promises/missing-tests.js'

// `npm run promises -- <report.json>…`: fails unless each test that docs/promises.md names has passed in a report of Vitest.

const reports = process.argv.slice(2)
if (reports.length === 0) throw new Error('expected the JSON reports of the tests')
for (const { file, title, status } of missingTests(reports)) {
  console.error(`${file}: "${title}": ${status}`)
  process.exitCode = 1
}
