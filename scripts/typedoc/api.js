// The API reference as Markdown: a page for each entry point, with a line for each export, and for each member of its interfaces.

import { ReflectionKind } from 'typedoc'

/** The pages of a project of typedoc: their paths in the repository and the site, and their texts. */
export const apiPages = (project) =>
  project.getChildrenByKind(ReflectionKind.Module).map((entryPoint) => ({
    path: `${folder}/${fileOf(entryPoint)}`,
    text: textOf(entryPoint),
  }))

/** `svc-streams` is `index.md` of this folder, and `svc-streams/operators` is `operators.md`. */
const folder = 'docs/reference/api'

const fileOf = ({ name }) => `${name.split('/')[1] ?? 'index'}.md`

const textOf = (entryPoint) => {
  const groups = entryPoint.groups.map(({ title, children }) => {
    const own = children.filter((each) => !each.isReference())
    const lines = [...own.flatMap(linesOf), ...referencesOf(children)]
    return `## ${title}\n\n${lines.join('\n')}\n`
  })
  // Typedoc gives an entry point without types of its own the comment of the other one.
  const isAlias = entryPoint.children.every((each) => each.isReference())
  const summary = isAlias ? 'The exports of another entry point, under a second name.' : summaryOf(entryPoint)
  return [`# ${entryPoint.name}\n`, `${summary}\n`, ...groups].join('\n')
}

/** A line for each entry point whose exports these are. */
const referencesOf = (children) => {
  const references = children.filter((each) => each.isReference())
  const ownerOf = (reference) => reference.getTargetReflectionDeep().parent
  return [...new Set(references.map(ownerOf))].map((owner) => {
    const names = references.filter((each) => ownerOf(each) === owner).map(({ name }) => `\`${name}\``)
    return `- Exports of [${owner.name}](${fileOf(owner)}): ${names.join(', ')}`
  })
}

const linesOf = (declaration) => {
  if (declaration.signatures !== undefined && !declaration.kindOf(ReflectionKind.Interface))
    return declaration.signatures.map((signature) => line('', callOf(signature), signature))
  const members = declaration.kindOf(ReflectionKind.ClassOrInterface) ? membersOf(declaration) : []
  return [line('', headOf(declaration), declaration), ...members]
}

/** The calls, the properties and the methods that a class or an interface does not inherit. */
const membersOf = ({ signatures = [], children = [] }) => [
  ...signatures.map((signature) => line('  ', callOf(signature, ''), signature)),
  ...children
    .filter((member) => member.inheritedFrom === undefined && !member.kindOf(ReflectionKind.Constructor))
    .flatMap((member) => memberLines(member)),
]

const memberLines = (member) => {
  if (member.signatures !== undefined)
    return member.signatures.map((signature) => line('  ', callOf(signature), signature))
  const { name, flags, getSignature } = member
  const described = getSignature ?? member
  return [line('  ', `${name}${flags.isOptional ? '?' : ''}: ${described.type}`, described)]
}

const headOf = (declaration) => {
  const { kind, name, type, extendedTypes } = declaration
  const full = name + parametersOfType(declaration)
  switch (kind) {
    case ReflectionKind.TypeAlias:
      return `type ${full} = ${type}`
    case ReflectionKind.Variable:
      return `const ${name}: ${type}`
    default: {
      const bases = extendedTypes === undefined ? '' : ` extends ${extendedTypes.join(', ')}`
      return `${ReflectionKind.singularString(kind).toLowerCase()} ${full}${bases}`
    }
  }
}

const callOf = (signature, name = signature.name) => {
  const parameters = (signature.parameters ?? []).map(({ name, type, flags, defaultValue }) => {
    const isOptional = flags.isOptional || defaultValue !== undefined
    return `${flags.isRest ? '...' : ''}${name}${isOptional ? '?' : ''}: ${type}`
  })
  return `${name}${parametersOfType(signature)}(${parameters.join(', ')}): ${signature.type}`
}

const parametersOfType = ({ typeParameters = [] }) =>
  typeParameters.length === 0 ? '' : `<${typeParameters.map(({ name }) => name).join(', ')}>`

const line = (indent, code, described) => {
  const summary = summaryOf(described)
  // Template literals have backticks: a longer fence may contain them.
  const quoted = code.includes('`') ? `\`\` ${code} \`\`` : `\`${code}\``
  return `${indent}- ${quoted}${summary === '' ? '' : `: ${summary}`}`
}

/** The first paragraph of the doc comment, on one line. */
const summaryOf = ({ comment }) => {
  const text = (comment?.summary ?? []).map((part) => part.text).join('')
  return text
    .split(/\n\s*\n|\n```/, 1)[0]
    .replaceAll(/\s+/g, ' ')
    .trim()
}
