import { mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { run } from './run.js'

const repository = fileURLToPath(new URL('../../../', import.meta.url))

export interface Compiler {
  readonly version: string
  /** Its package. */
  readonly name: string
}

/** The oldest supported version, in the folder of tools. */
const oldest: Compiler = { version: '5.4.5', name: 'typescript-oldest' }
const { version } = createRequire(import.meta.url)('@typescript/native') as { readonly version: string }
/** The version that builds the library. */
const own: Compiler = { version, name: '@typescript/native' }

/** The second is the last version that tools can call. */
export const compilers: readonly Compiler[] = [oldest, { version: ts.version, name: 'typescript' }, own]

/** The compiler to install, as an argument of `npm install`. */
export const oldestCompiler = `${oldest.name}@npm:typescript@${oldest.version}`

/** The strictest compiler options of a user program. */
export const strictest = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  noImplicitOverride: true,
  isolatedModules: true,
  verbatimModuleSyntax: true,
  skipLibCheck: false,
  module: 'nodenext',
  moduleResolution: 'nodenext',
  target: 'es2022',
  lib: ['es2022'],
  noEmit: true,
  declaration: true, // reports exported types that have no name outside of the package
  pretty: false,
}

export interface Project {
  /** The folder of the user program. */
  readonly folder: string
  /** The folder with the oldest compiler and the types of Node. */
  readonly tools: string
  /** The name of its tsconfig file: `tsconfig.<name>.json`. */
  readonly name: string
  /** Paths relative to `folder`. */
  readonly files: readonly string[]
  /** Default: the one that builds the library. */
  readonly compiler?: Compiler
  /** Compiler options that differ from `strictest`. */
  readonly options?: Readonly<Record<string, unknown>>
}

/** Compiles files without output. Returns the compiler's errors. */
export const compile = async (project: Project): Promise<readonly string[]> => {
  const { folder, tools, name, files, options = {}, compiler = own } = project
  const typeRoots = [join(tools, 'node_modules/@types')]
  const compilerOptions = { ...strictest, types: ['node'], typeRoots, ...options }
  const config = `tsconfig.${name}.json`
  await writeFile(join(folder, config), JSON.stringify({ compilerOptions, files }))
  const tsc = executableOf(compiler, tools)
  const { code, stdout, stderr } = await run('node', [tsc, '-p', config], { cwd: folder })
  const output = (stdout + stderr).trim()
  if (output === '' && code !== 0) throw new Error(`the compiler exited with ${String(code)}`)
  // Indented lines belong to the error above them.
  return output === '' ? [] : output.split(/\n(?! )/)
}

const executableOf = (compiler: Compiler, tools: string): string =>
  join(compiler === oldest ? tools : repository, 'node_modules', compiler.name, 'bin/tsc')

/** Writes source files into a folder `name` inside `folder`. Returns their paths relative to `folder`. */
export const writeSources = async (
  folder: string,
  name: string,
  sources: Readonly<Record<string, string>>,
): Promise<readonly string[]> => {
  await mkdir(join(folder, name), { recursive: true })
  await writeFile(join(folder, name, 'package.json'), '{ "type": "module" }')
  return Promise.all(
    Object.entries(sources).map(async ([file, text]) => {
      await writeFile(join(folder, name, file), text)
      return `${name}/${file}`
    }),
  )
}
