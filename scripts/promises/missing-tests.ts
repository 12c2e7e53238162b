import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { promisedTests, root, type PromisedTest } from './index-file.js'

/** What this needs of the JSON reports of Vitest. */
interface Report {
  readonly testResults: readonly {
    /** The absolute path. */
    readonly name: string
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[]
  }[]
}

/** A promised test that passed in none of the reports, and what is known of it. */
export interface MissingTest extends PromisedTest {
  readonly status: string
}

export const missingTests = (
  reportFiles: readonly string[],
  promised: readonly PromisedTest[] = promisedTests(),
): readonly MissingTest[] => {
  const files = reportFiles.flatMap((file) => (JSON.parse(readFileSync(file, 'utf8')) as Report).testResults)
  return promised.flatMap(({ file, title }) => {
    const pattern = patternOf(title)
    const statuses = files
      .filter(({ name }) => name === resolve(root, file))
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(({ fullName }) => pattern.test(fullName))
      .map(({ status }) => status)
    return statuses.includes('passed') ? [] : [{ file, title, status: statuses[0] ?? 'not run' }]
  })
}

/** The placeholders of `it.each` and of templates stand for any text. */
const patternOf = (title: string): RegExp =>
  new RegExp(
    title
      .split(/%[a-z]|\$[\w.]+|\$\{\}/)
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*'),
    's',
  )
