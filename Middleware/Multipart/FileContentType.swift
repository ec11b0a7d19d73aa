/// Content types by file extension.
package enum FileContentType {
    /// The type of unknown content, RFC 2046 §4.5.1.
    package static let octetStream = "application/octet-stream"

    /// Returns the content type for a file name's extension, or ``octetStream`` if it isn't known.
    ///
    /// The table is small, and the same on every platform. Matching is case-insensitive.
    package static func guess(fileName: String) -> String {
        guard let name = fileName.unicodeScalars.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last else {
            return octetStream
        }
        // A name whose only dot is its first character is that of a hidden file without an extension.
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return octetStream }
        return types[String(name[name.index(after: dot)...]).lowercased()] ?? octetStream
    }

    private static let types = [
        "7z": "application/x-7z-compressed", "aac": "audio/aac", "avi": "video/x-msvideo", "avif": "image/avif",
        "bmp": "image/bmp", "bz2": "application/x-bzip2", "css": "text/css", "csv": "text/csv",
        "doc": "application/msword",
        "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "epub": "application/epub+zip", "flac": "audio/flac", "gif": "image/gif", "gz": "application/gzip",
        "heic": "image/heic", "heif": "image/heif", "htm": "text/html", "html": "text/html",
        "ico": "image/vnd.microsoft.icon", "ics": "text/calendar", "jpeg": "image/jpeg", "jpg": "image/jpeg",
        "js": "text/javascript", "json": "application/json", "jsonl": "application/jsonl", "log": "text/plain",
        "m4a": "audio/mp4", "m4v": "video/x-m4v", "md": "text/markdown", "mjs": "text/javascript",
        "mov": "video/quicktime", "mp3": "audio/mpeg", "mp4": "video/mp4", "mpeg": "video/mpeg",
        "ndjson": "application/x-ndjson", "odp": "application/vnd.oasis.opendocument.presentation",
        "ods": "application/vnd.oasis.opendocument.spreadsheet", "odt": "application/vnd.oasis.opendocument.text",
        "oga": "audio/ogg", "ogg": "audio/ogg", "ogv": "video/ogg", "opus": "audio/ogg", "otf": "font/otf",
        "pdf": "application/pdf", "plist": "application/x-plist", "png": "image/png",
        "ppt": "application/vnd.ms-powerpoint",
        "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "rtf": "application/rtf", "svg": "image/svg+xml", "tar": "application/x-tar", "tif": "image/tiff",
        "tiff": "image/tiff", "toml": "application/toml", "ttf": "font/ttf", "txt": "text/plain",
        "vcf": "text/vcard", "wasm": "application/wasm", "wav": "audio/wav", "weba": "audio/webm",
        "webm": "video/webm", "webp": "image/webp", "woff": "font/woff", "woff2": "font/woff2",
        "xhtml": "application/xhtml+xml", "xls": "application/vnd.ms-excel",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xml": "application/xml",
        "yaml": "application/yaml", "yml": "application/yaml", "zip": "application/zip", "zst": "application/zstd",
    ]
}
