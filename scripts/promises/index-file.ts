import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { titlesIn } from './read-tests.js'

export const root = fileURLToPath(new URL('../../', import.meta.url))

/** A test of a guarantee. */
export interface PromisedTest {
  /** Its path in the repository. */
  readonly file: string
  /** Its title, with the placeholders of `it.each`. */
  readonly title: string
}

/**
 * The index of the tests of the guarantees: a heading for each part of docs/reference/guarantees.md, below it the files of its
 * tests, and below each file the titles.
 */
const indexFile = `${root}test/guarantees.txt`

const lines = (): readonly string[] => readFileSync(indexFile, 'utf8').split('\n')

const isFile = (line: string): boolean => line.startsWith('test/')

const isTitle = (line: string): boolean => line.startsWith('- ')

export const promisedParts = (): readonly string[] =>
  lines().flatMap((line) => (line.startsWith('## ') ? [line.slice(3)] : []))

export const promisedTests = (): readonly PromisedTest[] => {
  let file = ''
  return lines().flatMap((line) => {
    if (isFile(line)) file = line
    return isTitle(line) ? [{ file, title: line.slice(2) }] : []
  })
}

/** Writes the titles of the tests that each file of the index has now. */
export const writeIndex = (): void => {
  const written = lines()
    .filter((line) => !isTitle(line))
    .flatMap((line) =>
      isFile(line)
        ? [line, ...titlesIn(readFileSync(root + line, 'utf8')).map((title) => `- ${title}`)]
        : [line],
    )
  writeFileSync(indexFile, written.join('\n'))
}
