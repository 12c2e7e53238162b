import { readPage, toBlock, type Block } from './block.js'

/** The `ts` blocks of a Markdown page. */
export const blocksOfPage = (page: string): readonly Block[] => {
  const text = readPage(page)
  return [...text.matchAll(/^```ts\n([^]*?)^```$/gm)].map(({ index, 1: code = '' }) =>
    toBlock(page, text.slice(0, index).split('\n').length + 1, code),
  )
}
