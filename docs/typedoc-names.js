// A plugin for typedoc: names as readers know them.

import { Converter, ReflectionKind } from 'typedoc'

export const load = ({ converter }) => {
  converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    // The doors are the exports of package.json, and would be called after these: '' and 'operators'.
    for (const door of project.getChildrenByKind(ReflectionKind.Module)) {
      door.name = door.name === '' ? project.name : `${project.name}/${door.name}`
    }
    // The pages would be called after their files.
    for (const page of project.getReflectionsByKind(ReflectionKind.Document)) {
      const heading = /^# (.+)$/m.exec(page.content.map(({ text }) => text).join(''))
      if (heading !== null) page.name = heading[1]
    }
  })
}
