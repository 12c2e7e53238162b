import { mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import ts from 'typescript'
import { run } from './run.js'

export interface Compiler {
  readonly version: string
  /** The package that has it, in the folder of tools; this repository's own where there is none. */
  readonly alias?: string
}

/** The oldest that is promised. */
const oldest: Compiler = { version: '5.4.5', alias: 'typescript-oldest' }
/** The one that builds the library. */
const own: Compiler = { version: ts.version }
/** The newest, and by far the fastest. */
const newest: Compiler = { version: '7.0.2', alias: 'typescript-newest' }

export const compilers: readonly Compiler[] = [oldest, own, newest]

/** What is to be installed for them. */
export const compilerPackages: readonly string[] = compilers.flatMap(({ alias, version }) =>
  alias === undefined ? [] : [`${alias}@npm:typescript@${version}`],
)

/** As strict as a user's program can be. */
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
  pretty: false,
}

export interface Project {
  /** The user's folder. */
  readonly folder: string
  /** The folder with the compilers. */
  readonly tools: string
  /** A name for it. */
  readonly name: string
  /** Relative to the user's folder. */
  readonly files: readonly string[]
  /** Default: the newest. */
  readonly compiler?: Compiler
  readonly options?: Readonly<Record<string, unknown>>
}

/** What the compiler says about these files, error by error; nothing where it is content. */
export const compile = async (project: Project): Promise<readonly string[]> => {
  const { folder, tools, name, files, options = {}, compiler = newest } = project
  const typeRoots = [join(tools, 'node_modules/@types')]
  const compilerOptions = { ...strictest, types: ['node'], typeRoots, ...options }
  const config = `tsconfig.${name}.json`
  await writeFile(join(folder, config), JSON.stringify({ compilerOptions, files }))
  const tsc = executableOf(compiler, tools)
  const { code, stdout, stderr } = await run('node', [tsc, '-p', config], { cwd: folder })
  const output = (stdout + stderr).trim()
  if (output === '' && code !== 0) throw new Error(`the compiler ended with ${String(code)}`)
  // An error goes on for as long as lines are indented.
  return output === '' ? [] : output.split(/\n(?! )/)
}

const executableOf = ({ alias }: Compiler, tools: string): string =>
  alias === undefined
    ? createRequire(import.meta.url).resolve('typescript/bin/tsc')
    : join(tools, 'node_modules', alias, 'bin/tsc')

/** Writes source files into the user's folder, and gives their paths in it. */
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
