# If a library function does not accept an argument's kind or shape, the message has the terms of the documentation.
# session: yes
metrics.accuracy([[0.1, 0.9]], [1.0])
metrics.accuracy([[0.1, 0.9]], "1")
metrics.top_k_accuracy([[0.1, 0.9]], [1], k=5)
metrics.confusion([0.5, 1.0], [0, 1], 2)
metrics.precision([1, 0], [1, 1])
metrics.roc_auc([0.1, 0.2], [0, 1])
one_hot([0.0, 1.0], 3)
random.permutation(random.key(0), "abc")
nn.softmax_cross_entropy(ones((3, 3)), [0, 1, 2])
nn.attention(ones((3, 4)), ones((3, 4)), ones((3, 4)), mask=zeros((3, 3)))
nn.dense({w: ones((3, 4)), b: zeros(4)}, ones((2, 5)))
nn.glu(ones((2, 5)))
nn.conv(ones((8, 8, 1)), ones((3, 3, 1, 4)))
nn.conv2d(ones((8, 8, 1)), ones((3, 3, 1, 4)))
nn.max_pool(ones((4, 4)), 2)
nn.gru_cell(nn.lstm_init(random.key(0), 3, 4), zeros(4), ones(3))
nn.lstm_cell(nn.gru_init(random.key(0), 3, 4), (zeros(4), zeros(4)), ones(3))
nn.lstm_cell(nn.lstm_init(random.key(0), 3, 4), zeros(4), ones(3))
nn.rnn_cell(nn.gru_init(random.key(0), 3, 4), zeros(4), ones(3))
nn.gru_cell(nn.gru_init(random.key(0), 3, 4), zeros(5), ones(3))
nn.gru_cell(nn.gru_init(random.key(0), 3, 4), zeros(4), ones(2))

# error: PM0504
# message: `metrics.accuracy` needs logits f[..., n] and labels i32[...], the numbers of classes, got f32[1, 2] and f32[1]
# error: PM0504
# message: `metrics.accuracy` needs logits f[..., n] and labels i32[...], the numbers of classes, got f32[1, 2] and str
# error: PM0504
# message: the `k` of `metrics.top_k_accuracy` must be no more than the number of classes, 2, got 5
# error: PM0504
# message: `metrics.confusion` needs the numbers of classes, i32[...], got f32[2] and i32[2]
# error: PM0504
# message: `metrics.precision` needs truths, bool[...], got i32[2]: compare first, as scores > 0.5 or classes == 1
# error: PM0504
# message: `metrics.roc_auc` needs labels bool[n], got i32[2]: compare first, as classes == 1
# error: PM0504
# message: `one_hot` needs the numbers of classes, i32[...], got f32[2]
# error: PM0504
# message: `random.permutation` needs an array, or a number for the integers below it, got str
# error: PM0504
# message: `nn.softmax_cross_entropy` needs logits f[..., n] and a probability for each class, f[..., n], got f32[3, 3] and i32[3]; nn.cross_entropy takes class numbers
# error: PM0504
# message: the `mask` of `nn.attention` must be bool[..., n, m], true where it keeps, got f32[3, 3]: for what is added to the scores, compare first, as mask > -1
# error: PM0504
# message: `nn.dense` with w f32[3, 4] needs x f[..., 3], got f32[2, 5]
# error: PM0504
# message: `nn.glu` needs an even size along axis 1, got f32[2, 5]
# error: PM0504
# message: `nn.conv` needs x f[n, ..., c] with an axis for the batch in front and one for the features at the end, got x f32[8, 8, 1] for a kernel f32[3, 3, 1, 4]; x[none] adds a batch of one
# error: PM0504
# message: `nn.conv2d` needs pictures f[n, h, w, c] (x[none] is a batch of one), got f32[8, 8, 1]
# error: PM0504
# message: `nn.max_pool` needs x f[n, w, c], f[n, h, w, c] or f[n, d, h, w, c], got f32[4, 4]
# error: PM0504
# message: `nn.gru_cell` needs the parameters that nn.gru_init makes, a record of wx, wh, b, bn, got one of wx, wh, b
# error: PM0504
# message: `nn.lstm_cell` needs the parameters that nn.lstm_init makes, a record of wx, wh, b with wh f[4, 16] for 4 units, got wh f32[4, 12]
# error: PM0504
# message: `nn.lstm_cell` carries a pair (c, h), each f[..., units], got f32[4]
# error: PM0504
# message: `nn.rnn_cell` needs the parameters that nn.rnn_init makes, a record of wx, wh, b with wh f[4, 4] for 4 units, got wh f32[4, 12]
# error: PM0504
# message: `nn.gru_cell` needs a state h f[..., 4], got f32[5]
# error: PM0504
# message: `nn.gru_cell` needs an input x f[..., 3], got f32[2]
