import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Runs `npm run build:page` with another folder for its result. */
export const buildPage = async (folder: string): Promise<void> => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>
  }
  const [command = '', ...args] = (scripts['build:page'] ?? '').replace('dist/dashboard', folder).split(' ')
  await promisify(execFile)(join(root, 'node_modules/.bin', command), args, { cwd: root })
}
