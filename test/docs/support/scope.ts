import ts from 'typescript'
import { readPage, root, type Block } from './block.js'
import { behindDoors } from './doors.js'

// What is in scope where an example stands, although it does not import it.

/** Modules, and the names that they have. */
export type Scope = ReadonlyMap<string, readonly string[]>

const prelude = 'test/docs/support/prelude'

const preludeNames = [...readPage(`${prelude}.ts`).matchAll(/^export (?:declare )?const (\w+)/gm)].map(
  ([, name = '']) => name,
)

/** A page has the names of the prelude. */
const ofPages: Scope = new Map([[`${root}${prelude}.js`, preludeNames]])

/** A doc comment, which is read on its door's own page, has besides what the doors give. */
const ofDocComments: Scope = new Map([
  ...[...behindDoors].map(([door, values]) => [door, Object.keys(values)] as const),
  ...ofPages,
])

export const scopeOf = ({ page }: Block): Scope => (page.endsWith('.md') ? ofPages : ofDocComments)

/** Imports of what a code takes from a scope, in one line. */
export const importsOf = (code: string, scope: Scope): string => {
  const file = ts.createSourceFile('block.ts', code, ts.ScriptTarget.Latest)
  const wanted = namesIn(file)
  for (const name of declaredBy(file)) wanted.delete(name)
  return [...scope]
    .map(([module, names]) => {
      const taken = names.filter((name) => wanted.delete(name))
      return `import { ${taken.join(', ')} } from '${module}';`
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
