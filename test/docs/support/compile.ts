import { basename, dirname, join } from 'node:path'
import ts from 'typescript'
import { root, type Block } from './block.js'
import { importsOf, scopeOf } from './scope.js'

/** All blocks as one TypeScript program, compiled against the sources of the library. */
export interface Compiled {
  /** Compiler errors of a block, with line numbers of its page. */
  readonly errorsOf: (block: Block) => readonly string[]
  readonly sourceOf: (block: Block) => ts.SourceFile
  readonly checker: ts.TypeChecker
}

const project = ts.getParsedCommandLineOfConfigFile(join(root, 'tsconfig.json'), undefined, {
  ...ts.sys,
  onUnRecoverableConfigFileDiagnostic: ({ messageText }) => {
    throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'))
  },
})

/** The project's own options, without the rules that concern only its own code style. */
const options: ts.CompilerOptions = {
  ...project?.options,
  moduleDetection: ts.ModuleDetectionKind.Force,
  noPropertyAccessFromIndexSignature: false,
  noUnusedLocals: false,
  noUnusedParameters: false,
}

/** Virtual path of a block. The files of the pages of a folder can import each other. */
const pathOf = ({ page, line, file = `${basename(page)}-line-${line}.ts` }: Block): string =>
  join(root, `${dirname(page)}.blocks`, file)

export const compile = (blocks: readonly Block[]): Compiled => {
  // The implicit imports of a block are put before it, on one line.
  const texts = new Map(
    blocks.map((block) => [pathOf(block), `${importsOf(block.code, scopeOf(block))}\n${block.code}`]),
  )
  if (texts.size < blocks.length) throw new Error('two blocks of a folder have the same file')
  const program = ts.createProgram({ rootNames: [...texts.keys()], options, host: hostOf(texts) })
  const sourceOf = (block: Block): ts.SourceFile => {
    const source = program.getSourceFile(pathOf(block))
    if (source === undefined) throw new Error(`${pathOf(block)} is not in the program`)
    return source
  }

  return {
    sourceOf,
    checker: program.getTypeChecker(),
    errorsOf: (block) => {
      const source = sourceOf(block)
      return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
        ({ start = 0, messageText }) => {
          const { line } = source.getLineAndCharacterOfPosition(start)
          return `${block.page}:${lineInPage(block, line)} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`
        },
      )
    },
  }
}

/** The files on disk and the given texts. */
const hostOf = (texts: ReadonlyMap<string, string>): ts.CompilerHost => {
  const disk = ts.createCompilerHost(options, true)
  const folders = new Set([...texts.keys()].map(dirname))
  return {
    ...disk,
    fileExists: (path) => texts.has(path) || disk.fileExists(path),
    directoryExists: (path) => folders.has(path) || ts.sys.directoryExists(path),
    readFile: (path) => texts.get(path) ?? disk.readFile(path),
    getSourceFile: (path, ...rest) => {
      const text = texts.get(path)
      return text === undefined
        ? disk.getSourceFile(path, ...rest)
        : ts.createSourceFile(path, text, rest[0], true)
    },
  }
}

/** Converts a line of a compiled block, from 0, to a line of its page. Line 0 holds the implicit imports. */
export const lineInPage = (block: Block, line: number): number => block.line + line - 1
