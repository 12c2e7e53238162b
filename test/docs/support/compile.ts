import { dirname, join } from 'node:path'
import ts from 'typescript'
import { root, type Block } from './block.js'
import { importsOf, scopeOf } from './scope.js'

/** All blocks as one program of TypeScript, over the sources of the library. */
export interface Compiled {
  /** What the compiler says about a block, line by line of the page that it stands in. */
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

/** As the project compiles itself, save for what is a matter of the house and not of its users. */
const options: ts.CompilerOptions = {
  ...project?.options,
  moduleDetection: ts.ModuleDetectionKind.Force,
  noPropertyAccessFromIndexSignature: false,
  noUnusedLocals: false,
  noUnusedParameters: false,
}

/** Where a block would be: in a folder for each page, so that the files of a page can import each other. */
const pathOf = ({ page, line, file = `line-${line}.ts` }: Block): string => join(root, `${page}.blocks`, file)

export const compile = (blocks: readonly Block[]): Compiled => {
  // What a block takes for granted goes before it, in a line of its own.
  const texts = new Map(
    blocks.map((block) => [pathOf(block), `${importsOf(block.code, scopeOf(block))}\n${block.code}`]),
  )
  if (texts.size < blocks.length) throw new Error('two blocks of a page have the same file')
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

/** The files of this machine, and these besides. */
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

/** A line of a compiled block, from 0, as a line of its page. The first is what was put before it. */
export const lineInPage = (block: Block, line: number): number => block.line + line - 1
