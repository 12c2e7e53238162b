import { withChild, type Child } from '../process/child.js'

export interface DepthService {
  readonly child: Child
  readonly origin: string
}

/** Runs `use` with a depth endpoint, and stops the endpoint afterwards. */
export const withDepthService = <T>(use: (service: DepthService) => Promise<T>): Promise<T> =>
  withChild('server/depth-service.ts', async (child) => {
    const port = await child.request<number>('listen')
    return use({ child, origin: `http://127.0.0.1:${port}` })
  })
