// A typedoc plugin that names modules after entry points, and pages after their headings, and shows `undefined` where an optional
// property allows it.

import { Comment, Converter, IntrinsicType, ReflectionKind, UnionType } from 'typedoc'

const alias = 'The exports of another entry point, under a second name.'

export const load = ({ converter }) => {
  converter.on(Converter.EVENT_CREATE_DECLARATION, (context, reflection) => {
    const [declaration] = context.getSymbolFromReflection(reflection)?.declarations ?? []
    const allowsUndefined = /\| undefined$/.test(declaration?.type?.getText() ?? '')
    if (allowsUndefined && reflection.flags.isOptional && reflection.type !== undefined)
      reflection.type = new UnionType([reflection.type, new IntrinsicType('undefined')])
  })
  converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    // Typedoc names a module after its export in package.json: '' or 'operators'.
    for (const entryPoint of project.getChildrenByKind(ReflectionKind.Module)) {
      entryPoint.name = entryPoint.name === '' ? project.name : `${project.name}/${entryPoint.name}`
      // Typedoc gives an entry point without types of its own the comment of the other one.
      if (entryPoint.children.every((each) => each.isReference()))
        entryPoint.comment = new Comment([{ kind: 'text', text: alias }])
    }
    // Typedoc names a page after its file.
    for (const page of project.getReflectionsByKind(ReflectionKind.Document)) {
      const heading = /^# (.+)$/m.exec(page.content.map(({ text }) => text).join(''))
      if (heading !== null) page.name = heading[1]
    }
  })
}
