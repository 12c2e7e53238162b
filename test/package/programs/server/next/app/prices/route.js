import { receive } from '../../../result.mjs'

export const dynamic = 'force-dynamic'

export const GET = async () => Response.json(await receive())
