import ts from 'typescript'
import type { Block } from './block.js'
import { lineInPage, type Compiled } from './compile.js'
import { asTold, valueOf } from './values.js'

// What an example says of a line in a comment behind it: the line's value, such as `// Right('svc-0x82aF')`, or its
// type, such as `// Observable<Price>`. Any other comment is prose.

export interface Claim {
  /** Where it stands. */
  readonly place: string
  readonly says: string
  /** What it says where that is true, and else what it should say. */
  readonly truth: () => string
}

const isValue = /^(?:(?:Right|Left)\(|['{[\d])/

export const claimsOf = (block: Block, { sourceOf, checker }: Compiled): readonly Claim[] => {
  const source = sourceOf(block)
  return source.statements.flatMap((statement, index): readonly Claim[] => {
    const says = commentBehind(statement, source.text)
    const expression = expressionOf(statement)
    if (says === undefined || expression === undefined) return []
    const { line } = source.getLineAndCharacterOfPosition(statement.getStart())
    const place = `${block.page}:${lineInPage(block, line)}`
    if (says.startsWith('Observable<')) return [{ place, says, truth: () => typeOf(expression, checker) }]
    if (!isValue.test(says)) return []
    const before = source.statements.slice(0, index).filter((each) => !ts.isImportDeclaration(each))
    const code = [...before.map((each) => each.getText()), `return ${expression.getText()}`].join('\n')
    return [{ place, says, truth: () => asTold(valueOf(code), says) }]
  })
}

/** On the same line, or where there is no room for it on the next. */
const commentBehind = ({ end }: ts.Node, text: string): string | undefined => {
  const [range] = ts.getTrailingCommentRanges(text, end) ?? ts.getLeadingCommentRanges(text, end) ?? []
  return range === undefined ? undefined : text.slice(range.pos, range.end).replace(/^\/\/ /, '')
}

const expressionOf = (statement: ts.Statement): ts.Expression | undefined => {
  if (ts.isExpressionStatement(statement)) return statement.expression
  return ts.isVariableStatement(statement)
    ? statement.declarationList.declarations[0]?.initializer
    : undefined
}

const typeOf = (expression: ts.Expression, checker: ts.TypeChecker): string =>
  checker
    .typeToString(checker.getTypeAtLocation(expression), undefined, ts.TypeFormatFlags.NoTruncation)
    .replaceAll('; }', ' }')
