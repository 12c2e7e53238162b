import { describe, expect, it } from 'vitest'
import { judge } from './suite/judge.js'
import type { KnownFailure } from './suite/known-failures.js'

type Tests = Readonly<Record<string, string>>

const knownFailure = (title: string): KnownFailure => ({
  runtimes: ['bun'],
  file: 'test/a.test.ts',
  title,
  reason: 'a defect of the runtime',
})

/** The failures that a report of these tests has, by title and status. */
const failuresOf = (tests: Tests, known: readonly KnownFailure[] = []): readonly string[] => {
  const assertionResults = Object.entries(tests).map(([title, status]) => ({
    ancestorTitles: ['group'],
    title,
    status,
    failureMessages: [],
  }))
  const file = { name: '/root/test/a.test.ts', status: 'passed', message: '', assertionResults }
  return judge({ testResults: [file] }, known, '/root').failures
}

describe('the suite of a runtime', () => {
  it('passes if every test has passed', () => {
    expect(failuresOf({ one: 'passed', two: 'passed' })).toEqual([])
  })

  it.each(['failed', 'skipped', 'pending', 'todo'])('fails if a test is %s that is not listed', (status) => {
    expect(failuresOf({ one: 'passed', two: status })).toEqual([`test/a.test.ts > group > two: ${status}\n`])
  })

  it('passes if only listed tests have failed', () => {
    expect(failuresOf({ one: 'passed', two: 'failed' }, [knownFailure('group > two')])).toEqual([])
  })

  it('fails if a listed test passes', () => {
    expect(failuresOf({ one: 'passed', two: 'passed' }, [knownFailure('group > two')])).toEqual([
      'test/a.test.ts > group > two: expected to fail, but passed',
    ])
  })

  it('fails if a listed test does not exist', () => {
    expect(failuresOf({ one: 'passed' }, [knownFailure('group > three')])).toEqual([
      'test/a.test.ts > group > three: expected to fail, but there is no such test',
    ])
  })

  it('fails if no test has passed', () => {
    expect(failuresOf({})).toEqual(['no test has passed'])
  })

  it('fails if a file cannot be loaded', () => {
    const file = {
      name: '/root/test/b.test.ts',
      status: 'failed',
      message: 'no module',
      assertionResults: [],
    }
    expect(judge({ testResults: [file] }, [], '/root').failures).toContain(
      'test/b.test.ts was not run: no module',
    )
  })
})
