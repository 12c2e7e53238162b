import type { PageConfig, Served } from '../../../src/view/served.js'

/** The configuration that a page has in its HTML. */
export const configOf = (html: string): Served<PageConfig> =>
  JSON.parse(/<script type="application\/json">(.*)<\/script>/.exec(html)?.[1] ?? '{}') as Served<PageConfig>
