package sealane.hadoop;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.hadoop.conf.Configuration;

/**
 * The part of S3 that Hadoop's connector needs for small files, with objects in memory: PUT, also
 * as a copy and only if the key is free, GET, also of ranges, HEAD, DELETE and lists of objects.
 * There are no permissions, and signatures are not checked.
 */
final class S3Server implements AutoCloseable {
    private static final String DATE = "Thu, 01 Jan 2026 00:00:00 GMT";
    private static final String XML_DATE = "2026-01-01T00:00:00.000Z";

    /** The objects, by bucket, slash and key. */
    final NavigableMap<String, byte[]> objects = new ConcurrentSkipListMap<>();

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer server;

    S3Server() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::handle);
        server.setExecutor(threads);
        server.start();
    }

    /** Sets the properties of Hadoop's connector. */
    void configure(Configuration conf, String buffers) {
        conf.set("fs.s3a.endpoint", "http://127.0.0.1:" + server.getAddress().getPort());
        conf.set("fs.s3a.endpoint.region", "us-east-1");
        conf.set("fs.s3a.path.style.access", "true");
        conf.set("fs.s3a.connection.ssl.enabled", "false");
        conf.set("fs.s3a.aws.credentials.provider", "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider");
        conf.set("fs.s3a.access.key", "access");
        conf.set("fs.s3a.secret.key", "secret");
        conf.set("fs.s3a.attempts.maximum", "1");
        conf.set("fs.s3a.retry.limit", "1");
        conf.set("fs.s3a.multiobjectdelete.enable", "false");
        conf.set("fs.s3a.buffer.dir", buffers);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath().substring(1);
            Map<String, String> query = query(exchange.getRequestURI().getRawQuery());
            byte[] body = exchange.getRequestBody().readAllBytes();
            exchange.getResponseHeaders().set("Server", "S3Server");
            switch (exchange.getRequestMethod()) {
                case "PUT" -> put(exchange, path, body);
                case "DELETE" -> {
                    objects.remove(path);
                    respond(exchange, 204, new byte[0]);
                }
                case "GET", "HEAD" -> {
                    if (query.containsKey("list-type")) {
                        respond(exchange, 200, list(path.replaceFirst("/$", ""), query).getBytes(StandardCharsets.UTF_8));
                    } else {
                        get(exchange, path);
                    }
                }
                default -> error(exchange, 501, "NotImplemented");
            }
        }
    }

    private static Map<String, String> query(String text) {
        Map<String, String> query = new HashMap<>();
        for (String part : text == null ? new String[0] : text.split("&")) {
            String[] pair = part.split("=", 2);
            query.put(pair[0], pair.length < 2 ? "" : URLDecoder.decode(pair[1], StandardCharsets.UTF_8));
        }
        return query;
    }

    private static void respond(HttpExchange exchange, int status, byte[] body) throws IOException {
        boolean head = exchange.getRequestMethod().equals("HEAD");
        if (head) {
            exchange.getResponseHeaders().set("Content-Length", Integer.toString(body.length));
        }
        exchange.sendResponseHeaders(status, head || body.length == 0 ? -1 : body.length);
        if (!head) {
            exchange.getResponseBody().write(body);
        }
    }

    private static void error(HttpExchange exchange, int status, String code) throws IOException {
        respond(exchange, status, ("<Error><Code>" + code + "</Code></Error>").getBytes(StandardCharsets.UTF_8));
    }

    private static String tag(byte[] object) {
        return "\"" + Integer.toHexString(Arrays.hashCode(object)) + "\"";
    }

    private void put(HttpExchange exchange, String path, byte[] body) throws IOException {
        String source = exchange.getRequestHeaders().getFirst("x-amz-copy-source");
        byte[] object;
        if (source != null) {
            object = objects.get(URLDecoder.decode(source.replaceFirst("^/", ""), StandardCharsets.UTF_8));
        } else {
            String hash = exchange.getRequestHeaders().getFirst("x-amz-content-sha256");
            object = hash != null && hash.startsWith("STREAMING-") ? withoutChunks(body) : body;
        }
        if (object == null) {
            error(exchange, 404, "NoSuchKey");
        } else if (exchange.getRequestHeaders().containsKey("If-None-Match") && objects.putIfAbsent(path, object) != null) {
            error(exchange, 412, "PreconditionFailed");
        } else {
            objects.put(path, object);
            exchange.getResponseHeaders().set("ETag", tag(object));
            String result = "<CopyObjectResult><ETag>" + tag(object) + "</ETag><LastModified>" + XML_DATE
                    + "</LastModified></CopyObjectResult>";
            respond(exchange, 200, source == null ? new byte[0] : result.getBytes(StandardCharsets.UTF_8));
        }
    }

    /**
     * Removes the signatures between the chunks of a body: {@code length;signature CRLF data CRLF}.
     */
    private static byte[] withoutChunks(byte[] body) {
        ByteArrayOutputStream object = new ByteArrayOutputStream();
        int at = 0;
        while (true) {
            int end = at;
            while (body[end] != '\n') {
                end++;
            }
            String line = new String(body, at, end - at, StandardCharsets.US_ASCII).strip();
            int length = Integer.parseInt(line.split(";")[0], 16);
            if (length == 0) {
                return object.toByteArray();
            }
            object.write(body, end + 1, length);
            at = end + 1 + length + 2;
        }
    }

    private void get(HttpExchange exchange, String path) throws IOException {
        byte[] object = objects.get(path);
        if (object == null) {
            error(exchange, 404, "NoSuchKey");
            return;
        }
        exchange.getResponseHeaders().set("ETag", tag(object));
        exchange.getResponseHeaders().set("Last-Modified", DATE);
        String range = exchange.getRequestHeaders().getFirst("Range");
        if (range == null) {
            respond(exchange, 200, object);
            return;
        }
        String[] bounds = range.substring("bytes=".length()).split("-", 2);
        int start = Integer.parseInt(bounds[0]);
        int end = bounds[1].isEmpty() ? object.length : (int) Math.min(object.length, Long.parseLong(bounds[1]) + 1);
        if (start >= end) {
            error(exchange, 416, "InvalidRange");
            return;
        }
        exchange.getResponseHeaders().set("Content-Range", "bytes " + start + "-" + (end - 1) + "/" + object.length);
        respond(exchange, 206, Arrays.copyOfRange(object, start, end));
    }

    /** Returns the keys with a prefix, and the keys up to the delimiter that follows it. */
    private String list(String bucket, Map<String, String> query) {
        String prefix = bucket + "/" + query.getOrDefault("prefix", "");
        String delimiter = query.getOrDefault("delimiter", "");
        String after = bucket + "/" + query.getOrDefault("start-after", "");
        StringBuilder contents = new StringBuilder();
        TreeSet<String> common = new TreeSet<>();
        for (Map.Entry<String, byte[]> entry : objects.tailMap(prefix, true).entrySet()) {
            String key = entry.getKey();
            if (!key.startsWith(prefix)) {
                break;
            }
            int end = delimiter.isEmpty() ? -1 : key.indexOf(delimiter, prefix.length());
            if (end >= 0) {
                common.add(key.substring(bucket.length() + 1, end + 1));
            } else if (key.compareTo(after) > 0) {
                contents.append("<Contents><Key>").append(key.substring(bucket.length() + 1))
                        .append("</Key><LastModified>").append(XML_DATE)
                        .append("</LastModified><ETag>").append(tag(entry.getValue()))
                        .append("</ETag><Size>").append(entry.getValue().length)
                        .append("</Size><StorageClass>STANDARD</StorageClass></Contents>");
            }
        }
        common.forEach(key -> contents.append("<CommonPrefixes><Prefix>").append(key).append("</Prefix></CommonPrefixes>"));
        return "<ListBucketResult><IsTruncated>false</IsTruncated>" + contents + "</ListBucketResult>";
    }
}
