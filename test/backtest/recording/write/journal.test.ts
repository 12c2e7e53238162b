import {
  appendFileSync,
  existsSync,
  linkSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { firstValueFrom, from, NEVER, of, Subject, tap, toArray } from 'rxjs'
import { TestScheduler } from 'rxjs/testing'
import { ConfigurationError } from 'svc-streams'
import { journal } from 'svc-streams/recording'
import { expect, test } from 'vitest'
import { lockPathOf } from '../../../../src/backtest/recording/files/line-file.js'
import { newFolder } from '../../../support/new-folder.js'
import { spawnScript } from '../../../support/process/node-process.js'
import { eventually } from '../../../support/time/eventually.js'

const newPath = (): string => join(newFolder(), 'journal.ndjson')

const linesOf = (path: string): readonly unknown[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as unknown)

test('throws for what is no path', () => {
  expect(() => journal('')).toThrow('path: expected the path of a file')
  expect(() => journal(undefined as unknown as string)).toThrow(ConfigurationError)
})

test('writes each value with its time before it passes it', () => {
  const path = newPath()
  const written: unknown[] = []
  const scheduler = new TestScheduler((actual, expected) => expect(actual).toEqual(expected))
  scheduler.run(({ cold, expectObservable }) => {
    const value$ = cold('-a 9ms b|').pipe(
      journal(path),
      tap(() => written.push(linesOf(path).length)),
    )
    expectObservable(value$).toBe('-a 9ms b|')
  })
  expect(linesOf(path)).toEqual([
    { at: 1, value: 'a' },
    { at: 11, value: 'b' },
  ])
  expect(written).toEqual([1, 2])
})

test('writes bigint as text, and numbers and collections that JSON does not have by their names', async () => {
  const path = newPath()
  const values = [{ quantity: 12345678901234567890n }, undefined, NaN, { of: -0 }, new Map([[1, Infinity]])]
  expect(await firstValueFrom(from(values).pipe(journal(path), toArray()))).toEqual(values)
  expect(linesOf(path)).toMatchObject([
    { value: { quantity: '12345678901234567890' } },
    { value: null },
    { value: { $number: 'NaN' } },
    { value: { of: { $number: '-0' } } },
    { value: { $Map: [[1, { $number: 'Infinity' }]] } },
  ])
})

test('continues a journal, without a last line that has no end', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.jsonValue(), { maxLength: 5 }),
      fc.string({ maxLength: 300_000 }).map((text) => `{"at":${text.replaceAll('\n', '')}`),
      fc.nat(300_000),
      fc.array(fc.jsonValue(), { minLength: 1, maxLength: 5 }),
      async (before, torn, length, after) => {
        const path = newPath()
        await firstValueFrom(from(before).pipe(journal(path), toArray()))
        appendFileSync(path, torn.slice(0, length))
        await firstValueFrom(from(after).pipe(journal(path), toArray()))
        const expected = [...before, ...after].map((value) => ({
          value: JSON.parse(JSON.stringify(value)) as unknown,
        }))
        expect(linesOf(path)).toMatchObject(expected)
      },
    ),
    { numRuns: 20 },
  )
})

test('fails for a file of something else, which stays as it is', () => {
  for (const text of ['important notes', '{"_tag":"Recording"}\n', '{\n  "name": "desk"\n}', '\nnotes']) {
    const path = newPath()
    writeFileSync(path, text)
    const errors: Error[] = []
    of(1)
      .pipe(journal(path))
      .subscribe({ error: (thrown: Error) => errors.push(thrown) })
    expect(errors.map(({ message }) => message)).toEqual([
      `journal ${path}: expected a line of a journal, got ${JSON.stringify(text.split('\n')[0])}`,
    ])
    expect([readFileSync(path, 'utf8'), existsSync(lockPathOf(path))]).toEqual([text, false])
  }
})

test('fails for a journal that is in use, and releases it when its stream ends or is left', () => {
  const path = newPath()
  const errors: unknown[] = []
  const open = () => NEVER.pipe(journal(path)).subscribe({ error: (thrown: unknown) => errors.push(thrown) })
  const first = open()
  open()
  const message = `journal ${path}: in use by process ${process.pid}`
  expect(errors).toEqual([expect.objectContaining({ _tag: 'WriteError', message })])
  const lock = lockPathOf(path)
  expect(existsSync(lock)).toBe(true)
  first.unsubscribe()
  expect(existsSync(lock)).toBe(false)
  const source = new Subject<number>()
  source.pipe(journal(path)).subscribe()
  source.complete()
  const last = open()
  expect(errors).toHaveLength(1)
  last.unsubscribe()
})

test.each([
  ['a symbolic link', symlinkSync],
  ['another name of the file', linkSync],
])('fails for a journal that is in use under the name of %s', (_, link) => {
  const path = newPath()
  const errors: unknown[] = []
  const first = NEVER.pipe(journal(path)).subscribe()
  const other = join(dirname(path), 'other.ndjson')
  link(path, other)
  NEVER.pipe(journal(other)).subscribe({ error: (thrown: unknown) => errors.push(thrown) })
  expect(errors).toMatchObject([{ _tag: 'WriteError', message: expect.stringContaining('in use') as string }])
  first.unsubscribe()
})

test('fails with a WriteError when another program has cut the file, and leaves no zeros in it', () => {
  const path = newPath()
  const source = new Subject<number>()
  const passed: number[] = []
  const errors: unknown[] = []
  source.pipe(journal(path)).subscribe({
    next: (value) => passed.push(value),
    error: (thrown: unknown) => errors.push(thrown),
  })
  source.next(1)
  truncateSync(path)
  source.next(2)
  expect([passed, readFileSync(path, 'utf8')]).toEqual([[1], ''])
  const message = expect.stringMatching(
    /^journal .*: another program has cut the file from \d+ to 0 bytes$/,
  ) as string
  expect(errors).toMatchObject([
    { _tag: 'WriteError', message, cause: { message: expect.any(String) as string } },
  ])
})

test('does not pass a value that it cannot write', () => {
  const path = newPath()
  const passed: unknown[] = []
  const errors: unknown[] = []
  const circular: { self?: unknown } = {}
  circular.self = circular
  const observer = {
    next: (value: unknown) => passed.push(value),
    error: (thrown: unknown) => errors.push(thrown),
  }
  of(1, circular, 2).pipe(journal(path)).subscribe(observer)
  of(1).pipe(journal(newFolder())).subscribe(observer)
  expect(passed).toEqual([1])
  expect(errors).toEqual([
    expect.objectContaining({ message: expect.stringContaining(`journal ${path}: `) as string }),
    expect.objectContaining({ message: expect.stringContaining('EISDIR') as string }),
  ])
  expect(linesOf(path)).toHaveLength(1)
})

test('has each value that a killed process has passed on', async () => {
  const path = newPath()
  const script = `import { journal } from 'svc-streams/recording'
    import { timer } from 'rxjs'
    timer(0, 1).pipe(journal(${JSON.stringify(path)})).subscribe((value) => console.log(value))`
  let runs = 0
  for (let run = 0; run < 3; run++) {
    const child = spawnScript(script)
    await eventually(() => expect(child.output).toContain('20\n'))
    child.process.kill('SIGKILL')
    await child.waitForExit()
    const passed = child.stdout.split('\n').slice(0, -1).map(Number)
    appendFileSync(path, '{"at":1,"val')
    const values = linesOf(path).map((line) => (line as { readonly value: number }).value)
    expect(values.slice(runs, runs + passed.length)).toEqual(passed)
    runs = values.length
  }
})
