import { runInThisContext } from 'node:vm'
import * as either from 'fp-ts/lib/Either.js'
import * as rxjs from 'rxjs'
import { TestScheduler } from 'rxjs/testing'
import * as library from 'svc-streams'
import * as operators from 'svc-streams/operators'
import { disconnected } from 'svc-streams/testing'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { readPage } from './support/block.js'
import { blocksOfPage } from './support/markdown.js'

// Runs the marbles of the page of operators.

const page = 'docs/build/operators.md'
const headings = [...readPage(page).matchAll(/^## (.+)$/gm)].map(([, name]) => name)
const names = Object.entries(operators).flatMap(([name, value]) =>
  typeof value === 'function' ? [name] : [],
)

it('the page has a section for each operator, and for nothing else', () => {
  expect(headings.toSorted()).toEqual(names.toSorted())
})

const modules: Readonly<Record<string, unknown>> = { ...either, ...rxjs, ...library, ...operators }
const e = disconnected({ code: 1006, reason: 'lost', attempt: 1, retryInMs: 100 })
const events = {
  a: either.right(1),
  b: either.right(2),
  c: either.right(3),
  d: either.right(4),
  L: either.left(e),
}

const blocks = blocksOfPage(page).filter(({ code }) => code.includes('expectObservable'))

/** Runs the code of a block in virtual time. Throws if an observable differs from its marbles. */
const run = (code: string): void => {
  const { outputText } = ts.transpileModule(code.replaceAll(/^import .*\n/gm, ''), {
    compilerOptions: { target: ts.ScriptTarget.ES2022 },
  })
  new TestScheduler((actual, expected) => expect(actual).toEqual(expected)).run(
    ({ cold, expectObservable }) => {
      const marbles$ = (marbles: string) => cold(marbles, events)
      const scope = {
        ...modules,
        e,
        cold,
        expectObservable,
        marbles$,
        topic: 'svc-0xab',
        log: () => undefined,
      }
      const program = `(({ ${Object.keys(scope).join(', ')} }) => {{\n${outputText}\n}})`
      const start = runInThisContext(program) as (scope: object) => void
      start(scope)
    },
  )
}

describe('the marbles of the page', () => {
  it('belong to each operator but iterate', () => {
    expect(blocks).toHaveLength(names.length - 1)
  })

  it.each(blocks.map(({ line, code }) => [headings[blocks.findIndex((each) => each.line === line)], code]))(
    '%s',
    (_, code = '') => run(code),
  )

  it('are compared', () => {
    expect(() => run("expectObservable(marbles$('-a|').pipe(rights())).toBe('-x|', { x: 2 })")).toThrow()
  })
})
