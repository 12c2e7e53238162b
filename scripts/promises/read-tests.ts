import ts from 'typescript'

/** A call such as `it(…)`, `it.skip(…)`, `it.each(…)(…)` or `describeNats(…)`. */
interface Call {
  readonly node: ts.CallExpression
  /** `it`, `test`, `describe` or a function whose name begins so. */
  readonly root: string
  /** What is called on it: `each`, `skip`, … */
  readonly modifiers: readonly string[]
}

/** Why promised tests test nothing, by the source of their file, for each title; `undefined` for one that does. */
export const defectsOf = (source: string, titles: readonly string[]): readonly (string | undefined)[] => {
  const calls = callsIn(ts.createSourceFile('promised.test.ts', source, ts.ScriptTarget.ESNext, true))
  return titles.map((title) => {
    const named = calls.filter(({ node }) => titleOf(node).includes(title))
    // The title may be in a table of cases.
    if (named.length === 0) return source.includes(title) ? undefined : 'does not exist'
    const defects = named.map(defectOfCall)
    return defects.includes(undefined) ? undefined : defects[0]
  })
}

/** The titles of the tests in a source that run on every system: all but those with a condition, and those without a text. */
export const titlesIn = (source: string): readonly string[] =>
  callsIn(ts.createSourceFile('promised.test.ts', source, ts.ScriptTarget.ESNext, true))
    .filter((call) => isTest(call) && !isConditional(call))
    .map(({ node }) => titleOf(node))
    .filter((title) => /[a-z]{3}/i.test(withoutPlaceholders(title)))

const withoutPlaceholders = (title: string): string => title.replace(/%[a-z]|\$\{\}|\$[\w.]+/g, '')

const isConditional = ({ node }: Call): boolean => {
  for (let each: ts.Node = node; !ts.isSourceFile(each); each = each.parent) {
    if (ts.isIfStatement(each) || ts.isConditionalExpression(each)) return true
    if (callOf(each)?.modifiers.some((modifier) => /^(?:skipIf|runIf)$/.test(modifier)) === true) return true
  }
  return false
}

const callsIn = (node: ts.Node): readonly Call[] => {
  const inside: Call[] = []
  ts.forEachChild(node, (child) => void inside.push(...callsIn(child)))
  const call = callOf(node)
  return call === undefined ? inside : [call, ...inside]
}

const callOf = (node: ts.Node): Call | undefined => {
  if (!ts.isCallExpression(node)) return undefined
  const modifiers: string[] = []
  let callee: ts.Expression = node.expression
  while (!ts.isIdentifier(callee)) {
    if (ts.isPropertyAccessExpression(callee)) modifiers.push(callee.name.text)
    else if (!ts.isCallExpression(callee)) return undefined
    callee = callee.expression
  }
  return /^(?:it|test|describe)/.test(callee.text) ? { node, root: callee.text, modifiers } : undefined
}

/** The title, with `${}` for each expression of a template. */
const titleOf = ({ arguments: [title] }: ts.CallExpression): string => {
  if (title === undefined) return ''
  if (ts.isStringLiteralLike(title)) return title.text
  if (!ts.isTemplateExpression(title)) return ''
  return title.head.text + title.templateSpans.map(({ literal }) => `\${}${literal.text}`).join('')
}

/** Modifiers by which a test, or all others of its file, never run. `skipIf` depends on the system: see `missing-tests.ts`. */
const neverRun = /^(?:skip|todo|only|fails)$/

const defectOfCall = (call: Call): string | undefined => {
  const modifier = [call, ...callsAround(call.node)]
    .flatMap(({ modifiers }) => modifiers)
    .find((each) => neverRun.test(each))
  if (modifier !== undefined) return `has the modifier \`${modifier}\``
  const tests = call.root.startsWith('describe') ? callsIn(call.node).filter(isTest) : [call]
  return tests.some(hasBody) ? undefined : 'is empty'
}

const callsAround = ({ parent }: ts.Node): readonly Call[] => {
  if (ts.isSourceFile(parent)) return []
  const call = callOf(parent)
  return call === undefined ? callsAround(parent) : [call, ...callsAround(parent)]
}

const isTest = ({ root }: Call): boolean => !root.startsWith('describe')

const hasBody = ({ node }: Call): boolean =>
  node.arguments.some((argument) => {
    if (ts.isStringLiteralLike(argument) || ts.isObjectLiteralExpression(argument)) return false
    const isFunction = ts.isArrowFunction(argument) || ts.isFunctionExpression(argument)
    return !isFunction || !ts.isBlock(argument.body) || argument.body.statements.length > 0
  })
