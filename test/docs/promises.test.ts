import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const page = new URL('../../docs/promises.md', import.meta.url)

/** Each proof that the page names: a file, and part of a test's name in it. */
const proofs = [
  ...readFileSync(page, 'utf8').matchAll(/\[[^\]]+\]\(([^)]+\.test\.ts)\): ((?:"[^"]+"(?:, )?)+)/g),
].flatMap(([, file = '', names = '']) =>
  [...names.matchAll(/"([^"]+)"/g)].map(([, name = '']) => [file, name] as const),
)

describe('the table of promises', () => {
  it('names proofs', () => {
    expect(proofs.length).toBeGreaterThan(50)
  })

  it.each(proofs)('%s has "%s"', (file, name) => {
    expect(readFileSync(new URL(file, page), 'utf8')).toContain(name)
  })
})
