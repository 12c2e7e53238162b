import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { missingTests } from '../../scripts/promises/missing-tests.js'
import { promisedParts, promisedTests, root } from '../../scripts/promises/index-file.js'
import { defectsOf, titlesIn } from '../../scripts/promises/read-tests.js'
import { readPage } from './support/block.js'
import { newFolder } from '../support/new-folder.js'

const promised = promisedTests()
const files = [...new Set(promised.map(({ file }) => file))]

describe('test/guarantees.txt', () => {
  it('has tests of each part of the guarantees', () => {
    const parts = [...readPage('docs/reference/guarantees.md').matchAll(/^## (.+)$/gm)].map(
      ([, part]) => part,
    )
    expect(promisedParts()).toEqual(parts)
    expect(promised.length).toBeGreaterThan(2000)
  })

  it('names tests that exist, have a body, and are not skipped', () => {
    const defects = files.flatMap((file) => {
      const titles = promised.filter((test) => test.file === file).map(({ title }) => title)
      const defectOf = defectsOf(readFileSync(root + file, 'utf8'), titles)
      return titles.map((title, index) => ({ file, title, defect: defectOf[index] }))
    })
    const found = defects.filter(({ defect }) => defect !== undefined)
    expect(found, 'after a change of titles: npm run promises -- --write').toEqual([])
  })
})

describe('the check of promised tests', () => {
  it.each([
    ["it('works', () => { expect(1).toBe(1) })", undefined],
    ["it.each([1, 2])('works with %i', (n) => { expect(n).toBe(n) })", undefined],
    ["it.each([['it works', 1]])('%s', (_, n) => { expect(n).toBe(1) })", undefined],
    ["it.skipIf(isWindows)('works', () => { expect(1).toBe(1) })", undefined],
    ["it('is slow', () => { expect(1).toBe(1) })", 'does not exist'],
    ["it('works', () => {})", 'is empty'],
    ["it('works')", 'is empty'],
    ["it.skip('works', () => { expect(1).toBe(1) })", 'has the modifier `skip`'],
    ["it.todo('works')", 'has the modifier `todo`'],
    ["it.only('works', () => { expect(1).toBe(1) })", 'has the modifier `only`'],
    ["it.fails('works', () => { expect(1).toBe(2) })", 'has the modifier `fails`'],
    ["describe('it works', () => { it('always', () => {}) })", 'is empty'],
    ["describe.skip('a', () => { it('works', () => { run() }) })", 'has the modifier `skip`'],
    ["describe.each([1]).skip('a', () => { it('works', () => { run() }) })", 'has the modifier `skip`'],
  ])('finds for the source %s the defect %s', (source, defect) => {
    expect(defectsOf(source, ['works'])).toEqual([defect])
  })

  it('writes the titles of the tests that run on every system', () => {
    const source = `describe('a', () => { it('works', run); it.each(cases)('takes %s', run); it(\`has \${n} items\`, run) })
      it.skipIf(isWindows)('forks', run)
      if (hasPandas) it('reads', run)
      it.each(cases)('%s', run)`
    expect(titlesIn(source)).toEqual(['works', 'takes %s', 'has ${} items'])
  })

  it.each([
    ['a client works with 7', 'passed', []],
    ['a client works with 7', 'pending', ['pending']],
    ['a client works with 7', 'failed', ['failed']],
    ['a client waits', 'passed', ['not run']],
  ])('requires a report in which it passed: %s, %s', (fullName, status, missing) => {
    const report = join(newFolder(), 'report.json')
    const assertionResults = [{ fullName, status }]
    writeFileSync(report, JSON.stringify({ testResults: [{ name: `${root}a.test.ts`, assertionResults }] }))
    const tests = missingTests([report], [{ file: 'a.test.ts', title: 'works with %i' }])
    expect(tests.map((test) => test.status)).toEqual(missing)
  })
})
