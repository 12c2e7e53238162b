import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

// `npm run promises -- <report.json>…`: fails unless each file of test/guarantees.txt has passed in a report of Vitest.

export const root = fileURLToPath(new URL('../', import.meta.url))

/** The files of test/guarantees.txt, by the parts of the guarantees. */
export const promisedFiles = (): ReadonlyMap<string, readonly string[]> =>
  new Map(
    readFileSync(`${root}test/guarantees.txt`, 'utf8')
      .split('\n## ')
      .slice(1)
      .map((part) => part.split('\n').filter((line) => line !== ''))
      .map(([name = '', ...files]) => [name, files]),
  )

/** What this needs of the JSON reports of Vitest. */
interface Report {
  readonly testResults: readonly {
    /** The absolute path. */
    readonly name: string
    readonly assertionResults: readonly { readonly status: string }[]
  }[]
}

/** The files that have no passed test in any report, or a failed one. */
export const missingFiles = (
  reportFiles: readonly string[],
  files: readonly string[] = [...promisedFiles().values()].flat(),
): readonly string[] => {
  const results = reportFiles.flatMap(
    (file) => (JSON.parse(readFileSync(file, 'utf8')) as Report).testResults,
  )
  return files.filter((file) => {
    const statuses = results
      .filter(({ name }) => name === resolve(root, file))
      .flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status))
    return !statuses.includes('passed') || statuses.includes('failed')
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const reports = process.argv.slice(2)
  if (reports.length === 0) throw new Error('expected the JSON reports of the tests')
  for (const file of missingFiles(reports)) {
    console.error(`${file}: has not passed`)
    process.exitCode = 1
  }
}
