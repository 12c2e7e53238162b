import { relative } from 'node:path'
import type { Result } from '../check.js'
import type { KnownFailure } from './known-failures.js'

/** The part of Vitest's JSON report that is read. */
export interface VitestReport {
  readonly testResults: readonly {
    /** The path of the file. */
    readonly name: string
    readonly status: string
    readonly message: string
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[]
      readonly title: string
      readonly status: string
      readonly failureMessages?: readonly string[] | null
    }[]
  }[]
}

interface TestRun {
  readonly id: string
  readonly status: string
  readonly message: string
}

/**
 * Compares a report with the known failures of a runtime. A test that fails or is skipped must be known, and a known
 * failure must fail: the list cannot hide a test, and does not outlive the bug of the runtime.
 */
export const judge = (report: VitestReport, known: readonly KnownFailure[], root: string): Result => {
  const tests = report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ ancestorTitles, title, status, failureMessages }): TestRun => ({
      id: idOf({ file: relative(root, name), title: [...ancestorTitles, title].join(' > ') }),
      status,
      message: (failureMessages ?? []).join('\n'),
    })),
  )
  const broken = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  )
  const knownIds = new Set(known.map(idOf))
  const statusOf = new Map(tests.map(({ id, status }) => [id, status]))
  const passed = tests.filter(({ status }) => status === 'passed')
  const failures = [
    ...broken.map(({ name, message }) => `${relative(root, name)} was not run: ${message}`),
    ...tests
      .filter(({ id, status }) => status !== 'passed' && !knownIds.has(id))
      .map(({ id, status, message }) => `${id}: ${status}\n${message}`),
    ...[...knownIds]
      .filter((id) => statusOf.get(id) !== 'failed')
      .map((id) => `${id}: expected to fail, but ${statusOf.get(id) ?? 'there is no such test'}`),
    ...(passed.length === 0 ? ['no test has passed'] : []),
  ]
  const listed = known.length === 0 ? '' : `, ${known.length} known failures`
  return { text: `${passed.length} tests${listed}`, failures }
}

const idOf = ({ file, title }: { readonly file: string; readonly title: string }): string =>
  `${file} > ${title}`
