import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/**
 * A change of the sources. It finds its code by the syntax tree: format, comments, line and file do not matter, and
 * names matter only where the edit has them.
 */
export interface Edit {
  /** The declaration that has the code, after those around it: `Poll.join`. Names between them may be left out. */
  readonly in: string
  /**
   * The expression that is replaced. `$1`, `$2`, … match any expression, and stand for it in `bug`. Without it, the value
   * of the declaration is replaced, or the body of the function.
   */
  readonly code?: string
  readonly bug: string
}

/** Edits of the files of one folder. */
export interface Edits {
  readonly folder: string
  readonly edits: readonly Edit[]
}

/** A place in a file, and its new text. */
interface Change {
  readonly file: string
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The new texts of the changed files, by path. Throws unless each edit has one place. */
export const withEdits = ({ folder, edits }: Edits): ReadonlyMap<string, string> => {
  const changes = edits.map((edit) => changeOf(folder, edit)).sort((a, b) => b.start - a.start)
  const texts = new Map<string, string>()
  for (const { file, start, end, text } of changes) {
    const before = texts.get(file) ?? readFileSync(file, 'utf8')
    texts.set(file, before.slice(0, start) + text + before.slice(end))
  }
  return texts
}

const changeOf = (folder: string, edit: Edit): Change => {
  const changes = sourcesIn(folder).flatMap((source) => changesIn(source, edit))
  const [change] = changes
  if (change !== undefined && changes.length === 1) return change
  const places = changes.map(({ file, start }) => `${file}:${start}`).join(', ')
  const what = edit.code === undefined ? edit.in : `\`${edit.code}\` in ${edit.in}`
  throw new Error(`expected one place with ${what} in ${folder}, found ${places || 'none'}`)
}

const sourcesOf = new Map<string, readonly ts.SourceFile[]>()

const sourcesIn = (folder: string): readonly ts.SourceFile[] => {
  const sources = sourcesOf.get(folder) ?? parseFolder(join(root, folder))
  sourcesOf.set(folder, sources)
  return sources
}

const parseFolder = (folder: string): readonly ts.SourceFile[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => parse(join(folder, file), readFileSync(join(folder, file), 'utf8')))

const parse = (file: string, text: string): ts.SourceFile =>
  ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true)

const changesIn = (source: ts.SourceFile, { in: path, code, bug }: Edit): readonly Change[] => {
  const names = path.split('.')
  if (!names.every((name) => source.text.includes(name))) return []
  const values = valuesOf(source, names)
  if (code === undefined) return values.map(({ node, isBody }) => replace(node, isBody ? `{ ${bug} }` : bug))
  const pattern = parsePattern(code)
  return values.flatMap((value) =>
    nodesIn(value.node).flatMap((node) => {
      const parts = new Map<string, string>()
      if (isWrapper(node) || !matches(node, pattern, parts)) return []
      const text = bug.replace(/\$\d/g, (part) => parts.get(part) ?? part)
      return [replace(node, text)]
    }),
  )
}

const replace = (node: ts.Node, text: string): Change => ({
  file: node.getSourceFile().fileName,
  start: node.getStart(),
  end: node.end,
  text,
})

/** What a declaration has: the body of a function, the initial value of others, a class itself. */
interface Value {
  readonly node: ts.Node
  readonly isBody: boolean
}

const valuesOf = (node: ts.Node, names: readonly string[]): readonly Value[] => {
  const rest = nameOf(node) === names[0] ? names.slice(1) : names
  if (rest.length === 0) return [valueOf(node)]
  return childrenOf(node).flatMap((child) => valuesOf(child, rest))
}

const nameOf = (node: ts.Node): string | undefined => {
  if (!isDeclaration(node) || node.name === undefined) return undefined
  return ts.isIdentifier(node.name) || ts.isStringLiteral(node.name) ? node.name.text : undefined
}

const valueOf = (node: ts.Node): Value => {
  if (hasInitializer(node) && node.initializer !== undefined) {
    const { initializer } = node
    return ts.isArrowFunction(initializer)
      ? { node: initializer.body, isBody: true }
      : { node: initializer, isBody: false }
  }
  const isFunction = ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)
  return isFunction && node.body !== undefined ? { node: node.body, isBody: true } : { node, isBody: false }
}

const hasInitializer = (
  node: ts.Node,
): node is ts.VariableDeclaration | ts.PropertyDeclaration | ts.PropertyAssignment =>
  ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node) || ts.isPropertyAssignment(node)

const isDeclaration = (node: ts.Node) =>
  hasInitializer(node) ||
  ts.isFunctionDeclaration(node) ||
  ts.isMethodDeclaration(node) ||
  ts.isClassDeclaration(node)

const parsePattern = (code: string): ts.Node => {
  const [statement, next] = parse('pattern.ts', `(${code})`).statements
  if (statement === undefined || next !== undefined || !ts.isExpressionStatement(statement))
    throw new Error(`expected one expression: ${code}`)
  return statement.expression
}

const matches = (node: ts.Node, pattern: ts.Node, parts: Map<string, string>): boolean => {
  const found = unwrapped(node)
  const expected = unwrapped(pattern)
  if (ts.isIdentifier(expected) && /^\$\d$/.test(expected.text)) {
    parts.set(expected.text, node.getText())
    return true
  }
  if (found.kind !== expected.kind || operatorOf(found) !== operatorOf(expected)) return false
  const children = childrenOf(found)
  const expectedChildren = childrenOf(expected)
  if (children.length !== expectedChildren.length) return false
  if (children.length === 0) return found.getText() === expected.getText()
  return children.every((child, index) => matches(child, expectedChildren[index]!, parts))
}

/** The operator of `!value` is no child of its node. */
const operatorOf = (node: ts.Node): ts.SyntaxKind | undefined =>
  ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node) ? node.operator : undefined

const isWrapper = (
  node: ts.Node,
): node is ts.ParenthesizedExpression | ts.AsExpression | ts.NonNullExpression =>
  ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isNonNullExpression(node)

const unwrapped = (node: ts.Node): ts.Node => (isWrapper(node) ? unwrapped(node.expression) : node)

const childrenOf = (node: ts.Node): readonly ts.Node[] => {
  const children: ts.Node[] = []
  ts.forEachChild(node, (child) => void children.push(child))
  return children
}

const nodesIn = (node: ts.Node): readonly ts.Node[] => [node, ...childrenOf(node).flatMap(nodesIn)]
