import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root, type Block } from './block.js'

/** A folder as the readers of a guide have it: the files that the guide tells them to save, and what they installed. */
export interface UserFolder {
  /** Runs Node in it, and resolves with what it wrote and how it ended. */
  readonly node: (...args: readonly string[]) => Promise<Ended>
  readonly remove: () => void
}

export interface Ended {
  readonly code: number | null
  readonly output: string
}

export const userFolder = (blocks: readonly Block[]): UserFolder => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-streams-docs-'))
  const write = (file: string, content: unknown): void =>
    writeFileSync(join(folder, file), typeof content === 'string' ? content : JSON.stringify(content))

  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  write('package.json', { type: 'module' })
  // The doors are the sources, for tsx as for Vitest.
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

const run = (args: readonly string[], cwd: string): Promise<Ended> =>
  new Promise((resolve, reject) => {
    // A test runner that is started within another must not take itself for a part of it.
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
