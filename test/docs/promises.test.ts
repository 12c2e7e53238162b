import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const page = new URL('../../docs/promises.md', import.meta.url)

/** The tests that the page names: a file, and a part of a test title in it. */
const tests = [
  ...readFileSync(page, 'utf8').matchAll(/\[[^\]]+\]\(([^)]+\.test\.ts)\): ((?:"[^"]+"(?:, )?)+)/g),
].flatMap(([, file = '', names = '']) =>
  [...names.matchAll(/"([^"]+)"/g)].map(([, name = '']) => [file, name] as const),
)

describe('docs/promises.md', () => {
  it('names tests', () => {
    expect(tests.length).toBeGreaterThan(50)
  })

  it.each(tests)('names a test that exists: %s "%s"', (file, name) => {
    expect(readFileSync(new URL(file, page), 'utf8')).toContain(name)
  })
})
