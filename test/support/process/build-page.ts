import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { fileURLToPath } from 'node:url'
import { readPageFiles, type PageFiles } from '../../../src/dashboard/serve/page-files.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Runs `npm run build:page` with another folder for its result. */
export const buildPage = async (folder: string): Promise<void> => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>
  }
  const [command = '', ...args] = (scripts['build:page'] ?? '').replace('dist/dashboard', folder).split(' ')
  await promisify(execFile)(join(root, 'node_modules/.bin', command), args, { cwd: root })
}

let files: Promise<PageFiles> | undefined

/** The files of the page, built once. */
export const pageFiles = (): Promise<PageFiles> => (files ??= build())

const build = async (): Promise<PageFiles> => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-streams-page-'))
  try {
    await buildPage(folder)
    return await readPageFiles(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
