import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import okhttp3.Interceptor;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.ResponseBody;

/** What OkHttp's interceptors cost: the scenarios of ChainScenarios.swift, with the names of their figures. */
public final class ChainPeer {
    private static final int COUNT = 20_000;
    private static final int ROUNDS = 25;

    /** Answers every request with the same response, in the place of a connection. */
    private static Interceptor canned() {
        ResponseBody body = ResponseBody.create(MediaType.get("text/plain"), "");
        return chain -> new Response.Builder()
            .request(chain.request())
            .protocol(Protocol.HTTP_1_1)
            .code(200)
            .message("OK")
            .body(body)
            .build();
    }

    private static OkHttpClient client(int count, boolean setsFields) {
        OkHttpClient.Builder builder = new OkHttpClient.Builder();
        for (int number = 1; number <= count; number++) {
            String name = "X-Benchmark-Field-" + number;
            String value = "the value of benchmark field " + number;
            builder.addInterceptor(
                setsFields
                    ? chain -> chain.proceed(chain.request().newBuilder().header(name, value).build())
                    : chain -> chain.proceed(chain.request())
            );
        }
        return builder.addInterceptor(canned()).build();
    }

    private static double nanoseconds(OkHttpClient client, Request request) throws IOException {
        long began = System.nanoTime();
        for (int call = 0; call < COUNT; call++) {
            if (client.newCall(request).execute().code() != 200) throw new IOException("unexpected status");
        }
        return (System.nanoTime() - began) / (double) COUNT;
    }

    public static void main(String[] arguments) throws IOException {
        Map<String, OkHttpClient> clients = new LinkedHashMap<>();
        clients.put("chain.0", client(0, false));
        clients.put("chain.12.pass", client(12, false));
        clients.put("chain.12.header", client(12, true));
        Request request = new Request.Builder()
            .url("https://api.example.com/users/42")
            .header("Accept", "application/json")
            .build();
        Map<String, double[]> times = new LinkedHashMap<>();
        // The first rounds are for the compiler.
        for (int round = -ROUNDS; round < ROUNDS; round++) {
            for (Map.Entry<String, OkHttpClient> entry : clients.entrySet()) {
                double time = nanoseconds(entry.getValue(), request);
                if (round >= 0) times.computeIfAbsent(entry.getKey(), name -> new double[ROUNDS])[round] = time;
            }
        }
        for (Map.Entry<String, double[]> entry : times.entrySet()) {
            System.out.printf("%s %.0f ns%n", entry.getKey(), Arrays.stream(entry.getValue()).min().getAsDouble());
        }
    }
}
