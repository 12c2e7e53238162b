import { existsSync } from 'node:fs'
import { join, posix } from 'node:path'
import { readPage, root } from './block.js'

const { repository } = JSON.parse(readPage('package.json')) as {
  readonly repository: { readonly url: string }
}
const home = repository.url.replace(/^git\+|\.git$/g, '')

/**
 * The dead links of the Markdown and HTML files of a site, as `file: link`. `files` has the text of each file of the site by its
 * path. A link is dead if its file or its anchor does not exist, in the site or in this repository.
 */
export const deadLinksOf = (files: ReadonlyMap<string, string>): readonly string[] => {
  const anchors = new Map([...files].map(([path, text]) => [path, anchorsOf(path, text)]))
  const isDead = (path: string, link: string): boolean => {
    const [address = '', anchor] = link.split('#').map(decodeURIComponent)
    if (address.startsWith(`${home}/blob/`) || address.startsWith(`${home}/tree/`))
      return !existsSync(join(root, address.slice(home.length).split('/').slice(3).join('/')))
    if (/^\w+:/.test(address)) return false
    const joined = address === '' ? path : posix.join(posix.dirname(path), address)
    // A web server answers the address of a folder with its index.
    const target = joined.endsWith('/') ? posix.join(joined, 'index.html') : joined
    if (!files.has(target)) return true
    return anchor !== undefined && anchor !== '' && anchors.get(target)?.has(anchor) !== true
  }
  return [...files].flatMap(([path, text]) =>
    [...new Set(linksOf(path, text))].filter((link) => isDead(path, link)).map((link) => `${path}: ${link}`),
  )
}

const isHtml = (path: string): boolean => path.endsWith('.html')
const isText = (path: string): boolean => /\.(?:md|txt)$/.test(path)

const withoutPrograms = (text: string): string => text.replace(/^ *```[^]*?^ *```$/gm, '')

const linksOf = (path: string, text: string): readonly string[] => {
  if (isHtml(path))
    return [...text.matchAll(/ (?:href|src)="([^"]+)"/g)].map(([, link = '']) =>
      link.replaceAll('&amp;', '&'),
    )
  if (!isText(path)) return []
  const prose = withoutPrograms(text).replace(/`[^`\n]*`/g, '')
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
}

const anchorsOf = (path: string, text: string): ReadonlySet<string> => {
  const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id)
  const headings = isText(path) ? withoutPrograms(text).matchAll(/^#+ (.+)$/gm) : []
  return new Set([...ids, ...slugsOf([...headings].map(([, heading = '']) => heading))])
}

/** The anchors that GitHub gives to headings: equal ones are numbered. */
const slugsOf = (headings: readonly string[]): readonly string[] => {
  const slugs = headings.map(slugOf)
  return slugs.map((slug, index) => {
    const earlier = slugs.slice(0, index).filter((each) => each === slug).length
    return earlier === 0 ? slug : `${slug}-${earlier}`
  })
}

const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')
