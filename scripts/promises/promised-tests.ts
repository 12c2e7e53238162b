import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))

/** A test that a promise of docs/promises.md names. */
export interface PromisedTest {
  /** Its path in the repository. */
  readonly file: string
  /** A part of its title, or of the titles around it, with the placeholders of `it.each`. */
  readonly title: string
}

export const promisedTests = (): readonly PromisedTest[] => {
  const page = readFileSync(`${root}docs/promises.md`, 'utf8')
  const links = page.matchAll(/\[[^\]]+\]\(\.\.\/([^)]+\.test\.ts)\): ((?:"[^"]+"(?:, )?)+)/g)
  return [...links].flatMap(([, file = '', titles = '']) =>
    [...titles.matchAll(/"([^"]+)"/g)].map(([, title = '']) => ({ file, title })),
  )
}
