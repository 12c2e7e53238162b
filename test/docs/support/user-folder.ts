import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root, type Block } from './block.js'

/** The folder of a reader: the files of a guide, and the installed packages. */
export interface UserFolder {
  /** Runs Node in the folder; resolves with its exit code and output. */
  readonly node: (...args: readonly string[]) => Promise<Exit>
  readonly remove: () => void
}

export interface Exit {
  readonly code: number | null
  readonly output: string
}

export const userFolder = (blocks: readonly Block[]): UserFolder => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-streams-docs-'))
  const write = (file: string, content: unknown): void =>
    writeFileSync(join(folder, file), typeof content === 'string' ? content : JSON.stringify(content))

  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  write('package.json', { type: 'module' })
  // Resolves the entry points of the package to the sources, for tsx and for Vitest.
  write('tsconfig.json', { extends: join(root, 'tsconfig.json'), include: ['.'] })
  write(
    'vitest.config.js',
    `import own from '${root}vitest.config.ts'\nexport default { resolve: own.resolve }\n`,
  )
  for (const { file, code } of blocks) {
    if (file !== undefined) write(file, code)
  }

  return {
    node: (...args) => run(args, folder),
    remove: () => rmSync(folder, { recursive: true }),
  }
}

const run = (args: readonly string[], cwd: string): Promise<Exit> =>
  new Promise((resolve, reject) => {
    // A nested test runner must not detect the outer one by its environment variables.
    const own = Object.entries(process.env).filter(([name]) => !/^(?:NODE_|VITEST|TEST|SVC_)/.test(name))
    const env = { ...Object.fromEntries(own), FORCE_COLOR: '0' }
    const child = spawn(process.execPath, args, {
      cwd,
      env,
      timeout: 60_000,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    child.stdout.on('data', (chunk) => (output += String(chunk)))
    child.stderr.on('data', (chunk) => (output += String(chunk)))
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, output }))
  })
