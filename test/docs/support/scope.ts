import ts from 'typescript'
import { readPage, root, type Block } from './block.js'
import { exportsByEntryPoint } from './entry-points.js'

// Names that an example can use without importing them.

/** Modules and the names that each exports. */
export type Scope = ReadonlyMap<string, readonly string[]>

const prelude = 'test/docs/support/prelude'

const preludeNames = [...readPage(`${prelude}.ts`).matchAll(/^export (?:declare )?const ([\w$]+)/gm)].map(
  ([, name = '']) => name,
)

const ofPrelude = (names: readonly string[]): Scope => new Map([[`${root}${prelude}.js`, names]])

/** A block of a page that is not whole names in its first line what it needs: `// given: client, topic`. */
const givenNames = (code: string): readonly string[] => {
  const given = /^\/\/ given: (.+)\n/.exec(code)?.[1]?.split(', ') ?? []
  return preludeNames.filter((name) => given.includes(name))
}

/** A doc comment can also use the exports of every entry point, because the reference shows it next to them. */
const ofDocComments: Scope = new Map([
  ...[...exportsByEntryPoint].map(([entry, values]) => [entry, Object.keys(values)] as const),
  ...ofPrelude(preludeNames),
])

export const scopeOf = ({ page, code }: Block): Scope =>
  page.endsWith('.md') ? ofPrelude(givenNames(code)) : ofDocComments

/** Import statements for the names that a code uses from a scope, on one line. */
export const importsOf = (code: string, scope: Scope): string => {
  const file = ts.createSourceFile('block.ts', code, ts.ScriptTarget.Latest)
  const missing = namesIn(file)
  for (const name of declaredBy(file)) missing.delete(name)
  return [...scope]
    .map(([module, names]) => {
      const used = names.filter((name) => missing.delete(name))
      return `import { ${used.join(', ')} } from '${module}';`
    })
    .join(' ')
}

const namesIn = (node: ts.Node): Set<string> => {
  const found = new Set<string>()
  const visit = (each: ts.Node): void => {
    if (ts.isIdentifier(each)) found.add(each.text)
    ts.forEachChild(each, visit)
  }
  visit(node)
  return found
}

/** The names that the statements of a file declare or import. */
const declaredBy = (file: ts.SourceFile): readonly string[] =>
  file.statements.flatMap((statement) => {
    if (ts.isImportDeclaration(statement)) return [...namesIn(statement)]
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.flatMap(({ name }) => [...namesIn(name)])
    return ts.isDeclarationStatement(statement) && statement.name !== undefined
      ? [...namesIn(statement.name)]
      : []
  })
