#if Valkey
/// A script for the token buckets of one key, so that checking and taking are atomic.
///
/// `KEYS[1]` is a hash with a field for each limit: a point in time and the debt at that time, both in microseconds of
/// the server's clock. The debt is the time until the bucket is full (the generic cell rate algorithm, ITU-T I.371).
/// `ARGV` has the number of tokens (negative to return them) and, for each limit, its field, the microseconds per
/// token, and the bucket's size. The reply is 0 if the tokens were taken, otherwise the microseconds until they are
/// available. A key whose buckets are all full is removed.
enum TokenScript {
    /// The longest wait, in microseconds: 285 years.
    static let longestWait: Int64 = 9_000_000_000_000_000

    static let text = """
        local time = redis.call('TIME')
        local now = time[1] * 1000000 + time[2]
        local tokens = tonumber(ARGV[1])
        local missing, longest = 0, 0
        local changed = {}
        for index = 2, #ARGV, 3 do
            local interval, burst = tonumber(ARGV[index + 1]), tonumber(ARGV[index + 2])
            local debt = 0
            local known = redis.call('HGET', KEYS[1], ARGV[index])
            if known then
                local at, owed = string.match(known, '^(%S+) (%S+)$')
                at, owed = tonumber(at), tonumber(owed)
                -- A clock that was set back adds nothing, and takes nothing.
                if at and owed then debt = math.max(0, owed - math.max(0, now - at)) end
            end
            if tokens < 0 then
                debt = math.max(0, debt - interval * math.min(-tokens, burst))
            else
                debt = debt + interval * math.min(tokens, burst)
                missing = math.max(missing, debt - interval * burst)
            end
            longest = math.max(longest, debt)
            changed[#changed + 1] = ARGV[index]
            changed[#changed + 1] = string.format('%.17g %.17g', now, debt)
        end
        if missing > 0.001 then return math.min(math.ceil(missing), \(longestWait)) end
        if longest <= 0 then
            redis.call('DEL', KEYS[1])
        else
            redis.call('HSET', KEYS[1], unpack(changed))
            redis.call('PEXPIRE', KEYS[1], string.format('%.0f', math.min(math.ceil(longest / 1000) + 1, 100000000000000)))
        end
        return 0
        """
}
#endif
