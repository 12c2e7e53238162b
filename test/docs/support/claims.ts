import ts from 'typescript'
import type { Block } from './block.js'
import { lineInPage, type Compiled } from './compile.js'
import { asStated, valueOf } from './values.js'

// A claim is a comment after a statement that states the value of its expression, such as `// Right('svc-0x82aF')`, or
// the type, such as `// Observable<Price>`. Any other comment is prose.

export interface Claim {
  /** File and line. */
  readonly place: string
  readonly stated: string
  /** Equals `stated` if the claim is correct; otherwise the correct text. */
  readonly actual: () => string
}

const isValue = /^(?:(?:Right|Left)\(|['{[\d])/

export const claimsOf = (block: Block, { sourceOf, checker }: Compiled): readonly Claim[] => {
  const source = sourceOf(block)
  return source.statements.flatMap((statement, index): readonly Claim[] => {
    const stated = commentAfter(statement, source.text)
    const expression = expressionOf(statement)
    if (stated === undefined || expression === undefined) return []
    const { line } = source.getLineAndCharacterOfPosition(statement.getStart())
    const place = `${block.page}:${lineInPage(block, line)}`
    if (stated.startsWith('Observable<'))
      return [{ place, stated, actual: () => typeOf(expression, checker) }]
    if (!isValue.test(stated)) return []
    const before = source.statements.slice(0, index).filter((each) => !ts.isImportDeclaration(each))
    const code = [...before.map((each) => each.getText()), `return ${expression.getText()}`].join('\n')
    return [{ place, stated, actual: () => asStated(valueOf(code), stated) }]
  })
}

/** The comment after a statement, on the same line or on the next. */
const commentAfter = ({ end }: ts.Node, text: string): string | undefined => {
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
