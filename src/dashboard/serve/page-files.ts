import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** The files of the page, as `npm run build:page` writes them. */
export interface PageFiles {
  readonly html: string
  readonly style: string
  readonly script: string
}

/** Reads the files of the page from a folder. Default: that of the installed package. */
export const readPageFiles = async (folder = packagedFolder()): Promise<PageFiles> => {
  const read = (name: string) => readFile(join(folder, name), 'utf8')
  const [html, style, script] = await Promise.all([read('index.html'), read('main.css'), read('main.js')])
  return { html, style, script }
}

/** The package finds itself by its name, wherever a bundler has moved this code inside of it. */
const packagedFolder = (): string =>
  join(createRequire(import.meta.url).resolve('svc-streams/package.json'), '../dist/dashboard')
