import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The repository, with a slash at its end. */
export const root = fileURLToPath(new URL('../../../', import.meta.url))

/** A piece of code that is shown to users. */
export interface Block {
  /** The file that it stands in, relative to the repository. */
  readonly page: string
  /** The line of its first line, from 1. */
  readonly line: number
  readonly code: string
  /** The file that its reader is to save it as, where its first line is a comment that names one. */
  readonly file: string | undefined
}

export const readPage = (page: string): string => readFileSync(join(root, page), 'utf8')

/** The files below a folder whose names end so, relative to the repository. */
export const filesBelow = (folder: string, ending: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending))
    .map((file) => join(folder, file))
    .sort()

export const toBlock = (page: string, line: number, code: string): Block => ({
  page,
  line,
  code,
  file: /^\/\/ ([\w.-]+\.ts)\n/.exec(code)?.[1],
})
