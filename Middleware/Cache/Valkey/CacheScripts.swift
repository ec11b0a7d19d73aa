#if Valkey
/// The scripts that the store runs on the server; each is atomic.
///
/// All keys begin with the prefix, which is `KEYS[1]`:
///
/// - `e:<id>` is an entry: a hash of its description (`h`), its attributes for look-ups and removals, and its blocks
///   (`n`).
/// - `b:<id>:<n>` is a block of its content. `r:<id>` exists while somebody reads the content.
/// - `k:<key>` has the entries of a key by their variants. The sets `u:`, `i:`, `c:`, `o:` and `p:` have the entries of
///   a URL, an identifier, a class, an origin and a partition.
/// - `used` has all entries in order of use, `expiry` their expiry times, `size` their sizes, `bytes` the sum of the
///   sizes, and `names` all identifiers.
/// - `epoch` and `log` have the recent invalidations.
///
/// An entry that is missing from one of these isn't found. If the server evicts a key, entries that can no longer be
/// invalidated are therefore not found either. All keys have a lifetime. Removals don't use commands that a server
/// refuses when its memory is full.
enum CacheScripts {
    private static let common = """
        local P = KEYS[1]
        local USED, EXPIRY, SIZE, BYTES, NAMES = P..'used', P..'expiry', P..'size', P..'bytes', P..'names'
        local EPOCH, LOG = P..'epoch', P..'log'
        local time = redis.call('TIME')
        local now = time[1] * 1000 + math.floor(time[2] / 1000)
        local micros = time[1] * 1000000 + time[2]
        local DAY, MINUTE = 86400000, 60000

        local function text(number) return string.format('%.0f', number) end
        local function failed(reply) return type(reply) == 'table' and reply.err ~= nil end

        -- A key lives at least for so long.
        local function keep(key, ttl)
            if redis.call('PTTL', key) < ttl then redis.call('PEXPIRE', key, text(ttl)) end
        end

        local function record(id)
            local r = redis.call('HMGET', P..'e:'..id, 'k', 'v', 'u', 'i', 'c', 'o', 'p', 'n')
            if not (r[1] and r[2] and r[3] and r[5] and r[7] and r[8]) then return nil end
            return {k = r[1], v = r[2], u = r[3], i = r[4], c = r[5], o = r[6], p = r[7], n = tonumber(r[8]) or 0}
        end

        local function sets(r)
            local sets = {P..'u:'..r.u, P..'c:'..r.c, P..'p:'..r.p}
            if r.o then sets[#sets + 1] = P..'o:'..r.o end
            if r.i then sets[#sets + 1] = P..'i:'..r.i end
            return sets
        end

        -- The entry, if it is in all of its indexes and not over.
        local function alive(id)
            local r = record(id)
            if not r or redis.call('HGET', P..'k:'..r.k, r.v) ~= id then return nil end
            if not redis.call('ZSCORE', USED, id) then return nil end
            local expiry = redis.call('ZSCORE', EXPIRY, id)
            if not expiry or tonumber(expiry) <= now then return nil end
            for _, set in ipairs(sets(r)) do
                if redis.call('SISMEMBER', set, id) == 0 then return nil end
            end
            if r.i and not redis.call('ZSCORE', NAMES, r.i) then return nil end
            return r
        end

        -- Adds the entry with its description to a reply, where it is there.
        local function describe(id, reply)
            local r = alive(id)
            if not r then return nil end
            local e = redis.call('HMGET', P..'e:'..id, 'h', 't', 'd')
            for _, value in ipairs({id, e[1], e[2], e[3]}) do reply[#reply + 1] = value end
            return r
        end

        -- Blocks stay for those who read them: a minute after the last of them was asked for.
        local function free(id, n)
            local isRead = redis.call('EXISTS', P..'r:'..id) == 1
            for block = 0, n - 1 do
                local key = P..'b:'..id..':'..block
                if isRead then redis.call('PEXPIRE', key, text(MINUTE)) else redis.call('UNLINK', key) end
            end
        end

        local function drop(id)
            local r = record(id)
            if r then
                if redis.call('HGET', P..'k:'..r.k, r.v) == id then redis.call('HDEL', P..'k:'..r.k, r.v) end
                for _, set in ipairs(sets(r)) do redis.call('SREM', set, id) end
                if r.i and redis.call('EXISTS', P..'i:'..r.i) == 0 then redis.call('ZREM', NAMES, r.i) end
                free(id, r.n)
            end
            redis.call('DEL', P..'e:'..id)
            redis.call('ZREM', USED, id)
            redis.call('ZREM', EXPIRY, id)
            local size = redis.call('HGET', SIZE, id)
            if size then
                redis.call('HDEL', SIZE, id)
                -- Where memory is full the sum cannot be changed; it is made anew with the next entry.
                if redis.call('EXISTS', BYTES) == 1 and failed(redis.pcall('DECRBY', BYTES, size)) then
                    redis.call('DEL', BYTES)
                end
            end
            return r
        end

        local function purge(limit)
            for _, id in ipairs(redis.call('ZRANGEBYSCORE', EXPIRY, '-inf', text(now), 'LIMIT', 0, limit)) do drop(id) end
        end

        local function bytes()
            local sum = redis.call('GET', BYTES)
            if sum then return tonumber(sum) end
            sum = 0
            for _, size in ipairs(redis.call('HVALS', SIZE)) do sum = sum + (tonumber(size) or 0) end
            return sum
        end

        local function touch(id)
            local last = redis.call('ZREVRANGE', USED, 0, 0, 'WITHSCORES')
            local score = micros
            if last[2] and tonumber(last[2]) >= score then score = tonumber(last[2]) + 1 end
            -- A full memory is no reason to answer nothing.
            redis.pcall('ZADD', USED, text(score), id)
        end

        -- What was made invalid is numbered, within an epoch that ends when that is lost.
        local function epoch(nonce)
            local state = redis.call('HMGET', EPOCH, 'name', 'last')
            if state[1] and state[2] then return state[1], tonumber(state[2]) or 0 end
            redis.call('DEL', EPOCH, LOG)
            local name = time[1]..'.'..time[2]..'.'..nonce
            if failed(redis.pcall('HSET', EPOCH, 'name', name, 'last', '0')) then return '', 0 end
            keep(EPOCH, DAY)
            return name, 0
        end

        -- The server's clock, and what was made invalid since the caller last knew.
        local function news(nonce, known, seen)
            local name, last = epoch(nonce)
            local missed, list = 0, {}
            if name ~= known then
                missed = 1
            elseif last > seen then
                if last - seen > redis.call('LLEN', LOG) then missed = 1
                else list = redis.call('LRANGE', LOG, text(seen - last), '-1') end
            end
            return {time[1], time[2], name, text(last), missed, list}
        end

        local function note(nonce, what)
            epoch(nonce)
            if failed(redis.pcall('RPUSH', LOG, nonce..what)) or failed(redis.pcall('HINCRBY', EPOCH, 'last', '1')) then
                redis.call('DEL', EPOCH, LOG)
                return
            end
            redis.call('LTRIM', LOG, '-256', '-1')
            redis.call('PEXPIRE', LOG, text(DAY))
            redis.call('PEXPIRE', EPOCH, text(DAY))
        end

        -- Drops what was not used for longest until so much more fits; nil where it cannot.
        local function room(entries, size, countLimit, byteLimit)
            local evicted, sum = {}, bytes()
            while redis.call('ZCARD', USED) + entries > countLimit or sum + size > byteLimit do
                local ids = redis.call('ZRANGE', USED, 0, 0)
                if not ids[1] then return nil, evicted end
                local r = drop(ids[1])
                if r then evicted[#evicted + 1] = r.k end
                sum = bytes()
            end
            return true, evicted
        end
        """

    /// Returns the entries of a key.
    ///
    /// If there is a single entry with small content, also returns the content, because it is likely to be needed next.
    ///
    /// `ARGV`: nonce, epoch, number, key, the maximum length of small content.
    static let lookup =
        common + "\n" + """
            local reply = {news(ARGV[1], ARGV[2], tonumber(ARGV[3])), false}
            local only
            for _, id in ipairs(redis.call('HVALS', P..'k:'..ARGV[4])) do
                only = describe(id, reply) or only
            end
            if #reply == 6 and only.n == 1 then
                local block = P..'b:'..reply[3]..':0'
                if redis.call('STRLEN', block) <= tonumber(ARGV[5]) then reply[2] = redis.call('GET', block) end
            end
            return reply
            """

    /// Returns the descriptions of the entries that still exist.
    ///
    /// `ARGV`: ids.
    static let describe =
        common + "\n" + """
            local reply = {}
            for _, id in ipairs(ARGV) do
                describe(id, reply)
            end
            return reply
            """

    /// Records a use of an entry whose content has already been read.
    ///
    /// `ARGV`: id.
    static let use =
        common + "\n" + """
            if alive(ARGV[1]) then touch(ARGV[1]) end
            return 1
            """

    /// Records a use of an entry, and returns its first blocks.
    ///
    /// `ARGV`: id, first, last, whether more will be read.
    static let open =
        common + "\n" + """
            local id = ARGV[1]
            local r = alive(id)
            if not r then return false end
            touch(id)
            if ARGV[4] == '1' then redis.pcall('SET', P..'r:'..id, '', 'PX', text(MINUTE)) end
            local blocks = {redis.call('HGET', P..'e:'..id, 'b')}
            for block = tonumber(ARGV[2]), math.min(tonumber(ARGV[3]), r.n - 1) do
                blocks[#blocks + 1] = redis.call('GET', P..'b:'..id..':'..block)
            end
            return blocks
            """

    /// Returns another block, and extends the lifetime of the rest.
    ///
    /// `ARGV`: id, block, number of blocks.
    static let read =
        common + "\n" + """
            local id, block = ARGV[1], tonumber(ARGV[2])
            local key = P..'b:'..id..':'..block
            local value = redis.call('GET', key)
            if not value then return false end
            if redis.call('PTTL', P..'r:'..id) < MINUTE / 2 then
                redis.pcall('SET', P..'r:'..id, '', 'PX', text(MINUTE))
                for other = block, tonumber(ARGV[3]) - 1 do keep(P..'b:'..id..':'..other, MINUTE) end
            end
            return value
            """

    /// Extends the lifetime of an unfinished entry's blocks.
    ///
    /// `ARGV`: id, number of blocks, time.
    static let hold =
        common + "\n" + """
            for block = 0, tonumber(ARGV[2]) - 1 do redis.call('PEXPIRE', P..'b:'..ARGV[1]..':'..block, ARGV[3]) end
            return 1
            """

    /// Removes an unfinished entry, or one whose commit got no reply.
    ///
    /// `ARGV`: id, number of blocks.
    static let abandon =
        common + "\n" + """
            drop(ARGV[1])
            free(ARGV[1], tonumber(ARGV[2]))
            return 1
            """

    /// Makes an entry visible, replacing the one with the same variant.
    ///
    /// `ARGV`: nonce, epoch, number, id, maximum total bytes, maximum entries, maximum variants of a key, lifetime,
    /// size, blocks, the last block or nothing, whether there is one, key, variant, URL, identifier, whether there is
    /// one, class, origin or nothing, partition, description, clock, error of the clock, block size.
    static let commit =
        common + "\n" + """
            local state = news(ARGV[1], ARGV[2], tonumber(ARGV[3]))
            local id, ttl, size, n = ARGV[4], tonumber(ARGV[8]), tonumber(ARGV[9]), tonumber(ARGV[10])
            local r = {k = ARGV[13], v = ARGV[14], u = ARGV[15], c = ARGV[18], p = ARGV[20], n = n}
            if ARGV[17] == '1' then r.i = ARGV[16] end
            if ARGV[19] ~= '' then r.o = ARGV[19] end
            if state[5] == 1 then return {state, 'outdated'} end
            for _, line in ipairs(state[6]) do
                local what = string.sub(line, #ARGV[1] + 1)
                if string.sub(line, 1, #ARGV[1]) ~= ARGV[1] and (what == '*' or what == 'u'..r.u) then
                    return {state, 'outdated'}
                end
            end
            local E = P..'e:'..id
            if redis.call('EXISTS', E) == 1 then return {state, 'lost'} end
            -- Refused before anything was changed, where memory is full.
            if ARGV[12] == '1' and not redis.call('SET', P..'b:'..id..':'..(n - 1), ARGV[11], 'PX', text(ttl), 'NX') then
                return {state, 'lost'}
            end
            redis.call('HSET', E, 'k', r.k, 'v', r.v, 'u', r.u, 'c', r.c, 'p', r.p, 'n', text(n), 'h', ARGV[21],
                't', ARGV[22], 'd', ARGV[23], 'b', ARGV[24])
            if r.i then redis.call('HSET', E, 'i', r.i) end
            if r.o then redis.call('HSET', E, 'o', r.o) end
            for block = 0, n - 1 do
                if redis.call('PEXPIRE', P..'b:'..id..':'..block, text(ttl)) == 0 then
                    redis.call('DEL', E)
                    return {state, 'lost'}
                end
            end
            redis.call('SET', BYTES, text(bytes()))
            purge(64)
            local same = redis.call('HGET', P..'k:'..r.k, r.v)
            if same then drop(same) end
            local evicted = {}
            while redis.call('HLEN', P..'k:'..r.k) >= tonumber(ARGV[7]) do
                local oldest, least = nil, math.huge
                for _, other in ipairs(redis.call('HVALS', P..'k:'..r.k)) do
                    local score = tonumber(redis.call('ZSCORE', USED, other) or '0')
                    if score < least then oldest, least = other, score end
                end
                local dropped = drop(oldest)
                -- One that was lost is still in the index.
                for _, field in ipairs(redis.call('HKEYS', P..'k:'..r.k)) do
                    if redis.call('HGET', P..'k:'..r.k, field) == oldest then redis.call('HDEL', P..'k:'..r.k, field) end
                end
                if dropped then evicted[#evicted + 1] = r.k end
            end
            local fits, others = room(1, size, tonumber(ARGV[6]), tonumber(ARGV[5]))
            for _, key in ipairs(others) do evicted[#evicted + 1] = key end
            if not fits then
                redis.call('DEL', E)
                return {state, 'large', evicted}
            end
            local long = ttl + DAY / 24
            redis.call('HSET', P..'k:'..r.k, r.v, id)
            keep(P..'k:'..r.k, long)
            for _, set in ipairs(sets(r)) do
                redis.call('SADD', set, id)
                keep(set, long)
            end
            if r.i then redis.call('ZADD', NAMES, '0', r.i) end
            touch(id)
            redis.call('ZADD', EXPIRY, text(now + ttl), id)
            redis.call('HSET', SIZE, id, text(size))
            redis.call('INCRBY', BYTES, text(size))
            redis.call('PEXPIRE', E, text(long))
            for _, key in ipairs({USED, EXPIRY, SIZE, BYTES, NAMES}) do keep(key, long) end
            keep(EPOCH, DAY)
            return {state, 'stored', evicted}
            """

    /// Replaces the description of an entry.
    ///
    /// `ARGV`: nonce, epoch, number, id, maximum total bytes, lifetime, size, variant, class, description, clock, error
    /// of the clock.
    static let update =
        common + "\n" + """
            local id = ARGV[4]
            local r = alive(id)
            if not r then return false end
            local ttl, size = tonumber(ARGV[6]), tonumber(ARGV[7])
            redis.call('HSET', P..'e:'..id, 'h', ARGV[10], 't', ARGV[11], 'd', ARGV[12], 'v', ARGV[8], 'c', ARGV[9])
            local long = ttl + DAY / 24
            if r.v ~= ARGV[8] then
                local other = redis.call('HGET', P..'k:'..r.k, ARGV[8])
                if other then drop(other) end
                redis.call('HDEL', P..'k:'..r.k, r.v)
                redis.call('HSET', P..'k:'..r.k, ARGV[8], id)
                r.v = ARGV[8]
            end
            if r.c ~= ARGV[9] then
                redis.call('SREM', P..'c:'..r.c, id)
                redis.call('SADD', P..'c:'..ARGV[9], id)
                r.c = ARGV[9]
            end
            keep(P..'k:'..r.k, long)
            for _, set in ipairs(sets(r)) do keep(set, long) end
            redis.call('SET', BYTES, text(bytes() - tonumber(redis.call('HGET', SIZE, id) or '0') + size))
            redis.call('HSET', SIZE, id, text(size))
            redis.call('ZADD', EXPIRY, text(now + ttl), id)
            redis.call('PEXPIRE', P..'e:'..id, text(long))
            for block = 0, r.n - 1 do redis.call('PEXPIRE', P..'b:'..id..':'..block, text(ttl)) end
            for _, key in ipairs({USED, EXPIRY, SIZE, BYTES, NAMES}) do keep(key, long) end
            room(0, 0, math.huge, tonumber(ARGV[5]))
            return redis.call('EXISTS', P..'e:'..id)
            """

    /// Removes entries.
    ///
    /// `ARGV`: nonce, epoch, number, kind, value, the note or nothing, the maximum number removed at once. If there are
    /// more, their index is renamed, so that they can't be found, and is returned for removal in slices.
    static let remove =
        common + "\n" + """
            if ARGV[6] ~= '' then note(ARGV[1], ARGV[6]) end
            local reply = {news(ARGV[1], ARGV[2], tonumber(ARGV[3])), 0, ''}
            local function each(ids)
                for _, id in ipairs(ids) do
                    if alive(id) then reply[2] = reply[2] + 1 end
                    drop(id)
                end
            end
            local function index(key, count, members)
                if count(key) > tonumber(ARGV[7]) then
                    reply[3] = P..'gone:'..ARGV[1]..micros
                    redis.call('RENAME', key, reply[3])
                    redis.call('PEXPIRE', reply[3], text(DAY))
                else
                    each(members(key))
                end
            end
            local function set(key)
                index(key, function(key) return redis.call('SCARD', key) end,
                    function(key) return redis.call('SMEMBERS', key) end)
            end
            local kind, value = ARGV[4], ARGV[5]
            if kind == 'entry' then
                each({value})
            elseif kind == 'key' then
                each(redis.call('HVALS', P..'k:'..value))
            elseif kind == 'prefix' then
                local names
                if value == '' then names = redis.call('ZRANGE', NAMES, 0, -1)
                else names = redis.call('ZRANGEBYLEX', NAMES, '['..value, '('..value..'\\255') end
                for _, name in ipairs(names) do each(redis.call('SMEMBERS', P..'i:'..name)) end
            elseif kind == 'all' then
                index(USED, function(key) return redis.call('ZCARD', key) end,
                    function(key) return redis.call('ZRANGE', key, 0, -1) end)
            else
                set(P..kind..':'..value)
            end
            return reply
            """

    /// Removes some entries of a renamed index.
    ///
    /// `ARGV`: the key of their index, the maximum number.
    static let sweep =
        common + "\n" + """
            local key, limit = ARGV[1], ARGV[2]
            local ids = {}
            if redis.call('TYPE', key).ok == 'zset' then
                local popped = redis.call('ZPOPMIN', key, limit)
                for index = 1, #popped, 2 do ids[#ids + 1] = popped[index] end
            elseif redis.call('EXISTS', key) == 1 then
                ids = redis.call('SPOP', key, limit)
            end
            local count = 0
            for _, id in ipairs(ids) do
                if drop(id) then count = count + 1 end
            end
            return {count, redis.call('EXISTS', key)}
            """

    /// Returns the usage of the store.
    static let usage =
        common + "\n" + """
            purge(1000)
            return {redis.call('ZCARD', USED), text(bytes())}
            """
}
#endif
