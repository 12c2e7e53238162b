import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { missingFiles, promisedFiles, root } from '../../scripts/promises.js'
import { readPage } from './support/block.js'
import { newFolder } from '../support/new-folder.js'

describe('test/guarantees.txt', () => {
  it('names the tests of each part of the guarantees, which exist', () => {
    const parts = [...readPage('docs/reference/guarantees.md').matchAll(/^## (.+)$/gm)].map(
      ([, part]) => part,
    )
    expect([...promisedFiles().keys()]).toEqual(parts)
    for (const [part, files] of promisedFiles()) {
      expect(files, part).not.toEqual([])
      expect(files.filter((file) => !/^test\/.+\.test\.ts$/.test(file) || !existsSync(root + file))).toEqual(
        [],
      )
    }
  })
})

describe('the check of the promised tests', () => {
  it.each([
    [['passed'], []],
    [['passed', 'pending'], []],
    [['pending'], ['a.test.ts']],
    [['passed', 'failed'], ['a.test.ts']],
  ])('finds for the results %j of a file the missing files %j', (statuses, missing) => {
    const report = join(newFolder(), 'report.json')
    const assertionResults = statuses.map((status) => ({ status }))
    writeFileSync(report, JSON.stringify({ testResults: [{ name: `${root}a.test.ts`, assertionResults }] }))
    expect(missingFiles([report], ['a.test.ts'])).toEqual(missing)
    expect(missingFiles([report], ['b.test.ts'])).toEqual(['b.test.ts'])
  })
})
