import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readPageFiles, type PageFiles } from '../../../src/dashboard/server/start-dashboard.js'
import { buildPage } from '../../../scripts/page/build-page.js'

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
