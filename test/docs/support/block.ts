import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Path of the repository, with a trailing slash. */
export const root = fileURLToPath(new URL('../../../', import.meta.url))

/** A code example of the documentation. */
export interface Block {
  /** The file that contains it, relative to the repository. */
  readonly page: string
  /** Line number of its first line, from 1. */
  readonly line: number
  readonly code: string
  /** File name to save it under, if its first line is a comment with a file name. */
  readonly file: string | undefined
}

/** The text of a file. The cells of Markdown's tables come without the padding that Prettier adds. */
export const readPage = (page: string): string => {
  const text = readFileSync(join(root, page), 'utf8')
  return page.endsWith('.md') ? text.replaceAll(/^\|.*\|$/gm, withoutPadding) : text
}

const withoutPadding = (row: string): string => row.replaceAll(/(?<= ) +(?=\|)|(?<=\| ) +/g, '')

/** The output of `npm run docs`. */
const generated = [join('docs', 'site'), join('docs', 'reference', 'api')]

/** The files below a folder with this ending, relative to the repository. */
export const filesBelow = (folder: string, ending: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending))
    .map((file) => join(folder, file))
    .filter((file) => !generated.some((folder) => file.startsWith(folder)))
    .sort()

export const toBlock = (page: string, line: number, code: string): Block => ({
  page,
  line,
  code,
  file: /^\/\/ ([\w.-]+\.ts)\n/.exec(code)?.[1],
})
