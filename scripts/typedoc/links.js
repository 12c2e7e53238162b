// A typedoc plugin for the links of the pages: to pages and to the files below stay in the site, all others go to the repository.

import { readFileSync, statSync } from 'node:fs'
import { posix, relative, sep } from 'node:path'
import { Converter, ReflectionKind } from 'typedoc'

const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

export const repository = manifest.repository.url.replace(/^git\+|\.git$/g, '')

/** The files that the site contains beside its pages. */
export const isAsset = (path) => path.startsWith('docs/images/') || path === 'docs/reference/asyncapi.json'

/** The address of a file or a folder of the repository. */
const addressOf = (path) =>
  `${repository}/${statSync(path, { throwIfNoEntry: false })?.isDirectory() ? 'tree' : 'blob'}/main/${path}`

/**
 * The text of a page with links that work in the site. `pages` is the set of the paths of all pages. `folder` is the folder of the
 * text in the site.
 */
export const withLinks = ({ path, text }, pages, folder = posix.dirname(path)) =>
  text.replaceAll(/```[^]*?```|`[^`\n]*`|(\]\()(?!\w+:|#)([^)#\s]+)/g, (match, start, target) => {
    if (target === undefined) return match
    const linked = posix.join(posix.dirname(path), target)
    const isInSite = pages.has(linked) || isAsset(linked)
    return start + (isInSite ? posix.relative(folder, linked) : addressOf(linked))
  })

export const load = ({ converter }) => {
  converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    const documents = project.getReflectionsByKind(ReflectionKind.Document)
    for (const part of [project.readme ?? [], ...documents.map(({ content }) => content)].flat()) {
      if (part.kind !== 'relative-link' || part.target === undefined) continue
      // Typedoc links a page to its HTML, and copies each other file.
      const file = project.files.resolve(part.target, project)
      if (typeof file !== 'string') continue
      const path = relative('.', file).replaceAll(sep, '/')
      if (isAsset(path)) continue
      const anchor = part.targetAnchor === undefined ? '' : `#${part.targetAnchor}`
      Object.assign(part, { kind: 'text', text: addressOf(path) + anchor })
    }
  })
}
