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

/** A page can use the names of the prelude. */
const ofPages: Scope = new Map([[`${root}${prelude}.js`, preludeNames]])

/** A doc comment can also use the exports of every entry point, because the reference shows it next to them. */
const ofDocComments: Scope = new Map([
  ...[...exportsByEntryPoint].map(([entry, values]) => [entry, Object.keys(values)] as const),
  ...ofPages,
])

export const scopeOf = ({ page }: Block): Scope => (page.endsWith('.md') ? ofPages : ofDocComments)

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
